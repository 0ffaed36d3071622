import { Busboy } from "@fastify/busboy";
import type { ChainRequest } from "./call.ts";
import { isTooLong, maxParameters } from "./parameters.ts";

/** A file of a multipart body. */
interface UploadedFile {
  filename: string;
  contentType: string;
  data: Buffer;
}

/** Fields of a request; a field that is given several times, such as `id=1&id=2`, has an array of its values. */
type RequestFields = Record<string, unknown>;

/** The fields of a request, or what is wrong with it; then the fields are those that could be read. */
export interface ReadRequest {
  fields: RequestFields;
  fault?: string;
}

/**
 * Reads the fields of a call of another service's API: of the query string, of the body (a JSON object, a form or
 * multipart), and of the path. If two have the same name, the body wins over the query string, and the path over both.
 */
export async function readRequest(event: ChainRequest): Promise<ReadRequest> {
  const query = formFields(event.rawQueryString);
  const body = await bodyFields(event);
  const path = pathFields(event.pathParameters ?? {});
  const fault = query.fault ?? body.fault ?? path.fault;
  return { fields: { ...query.fields, ...body.fields, ...path.fields }, ...(fault && { fault }) };
}

const faultOf = (fault: string): ReadRequest => ({ fields: {}, fault });
const notUtf8 = "the request is not valid UTF-8";

function pathFields(parameters: Record<string, string | undefined>): ReadRequest {
  try {
    const decoded = Object.entries(parameters).map(([name, value = ""]) => [name, decodeURIComponent(value)]);
    return { fields: Object.fromEntries(decoded) };
  } catch {
    return faultOf("the path is not percent-encoded UTF-8");
  }
}

async function bodyFields(event: ChainRequest): Promise<ReadRequest> {
  if (typeof event.body !== "string" || event.body === "") return { fields: {} };
  const bytes = Buffer.from(event.body, event.isBase64Encoded ? "base64" : "utf8");
  const contentType = event.headers["content-type"] ?? "";
  const mediaType = contentType.split(";", 1)[0]?.trim().toLowerCase();
  if (mediaType === "multipart/form-data") return multipartFields(bytes, contentType);
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return faultOf(notUtf8);
  }
  // Some clients send JSON with the content type of a form, or without one.
  if (mediaType?.endsWith("json") || /^\s*\{/.test(text)) return jsonFields(text);
  if (!mediaType || mediaType === "application/x-www-form-urlencoded") return formFields(text.trimEnd());
  return faultOf("the body must be application/json, application/x-www-form-urlencoded or multipart/form-data");
}

function jsonFields(text: string): ReadRequest {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return { fields: { ...value } };
  } catch {}
  return faultOf("the body is not a JSON object");
}

function formFields(form: string): ReadRequest {
  if (isTooLong(form)) return faultOf(`there are more than ${maxParameters} parameters`);
  const fields = gather(new URLSearchParams(form));
  // The parser replaces bytes that are not UTF-8.
  return form.includes("%") &&
    Object.values(fields)
      .flat()
      .some((value) => String(value).includes("\ufffd"))
    ? faultOf(notUtf8)
    : { fields };
}

function gather(entries: Iterable<[string, unknown]>): RequestFields {
  const fields = new Map<string, unknown>();
  for (const [name, value] of entries) {
    const earlier = fields.get(name);
    fields.set(name, earlier === undefined ? value : [earlier, value].flat());
  }
  return Object.fromEntries(fields);
}

/** Bytes of a multipart body that are parsed at once: after a refusal the parser would go on to the end of them. */
const pieceBytes = 16_384;

function multipartFields(body: Buffer, contentType: string): Promise<ReadRequest> {
  return new Promise((resolve) => {
    const parts: [string, unknown][] = [];
    let isRefused = false;
    const refuse = () => {
      isRefused = true;
      resolve(faultOf(`the body is not valid multipart/form-data, or has more than ${maxParameters} parts`));
    };
    try {
      const parser = new Busboy({ headers: { "content-type": contentType }, limits: { parts: maxParameters } });
      parser.on("field", (name, value) => parts.push([name, value]));
      parser.on("file", (name, part, filename, _encoding, partType) => {
        const chunks: Buffer[] = [];
        part.on("data", (chunk: Buffer) => chunks.push(chunk));
        part.on("error", refuse);
        part.on("end", () => {
          const file: UploadedFile = { filename, contentType: partType, data: Buffer.concat(chunks) };
          parts.push([name, file]);
        });
      });
      parser.on("partsLimit", refuse);
      parser.on("finish", () => resolve({ fields: gather(parts) }));
      parser.on("error", refuse);
      for (let start = 0; start < body.length && !isRefused; start += pieceBytes) {
        parser.write(body.subarray(start, start + pieceBytes));
      }
      if (!isRefused) parser.end();
    } catch {
      refuse();
    }
  });
}
