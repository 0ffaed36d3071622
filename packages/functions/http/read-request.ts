import { fewFields, parseBoundedJson } from "@reading-list/core/contract/bounded-json.ts";
import type { HttpRequest } from "./call.ts";
import { maxParameters, readParts } from "./multipart.ts";
import { bodyOf, isTooLong } from "./parameters.ts";

/**
 * Fields of a request; a field that is given several times, such as `id=1&id=2`, has an array of its values. A file of a
 * multipart body is an object with its bytes as `data`.
 */
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
export async function readRequest(event: HttpRequest): Promise<ReadRequest> {
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

async function bodyFields(event: HttpRequest): Promise<ReadRequest> {
  const { bytes, contentType, mediaType } = bodyOf(event);
  if (bytes.length === 0) return { fields: {} };
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
  const parsed = parseBoundedJson(text, fewFields);
  if ("entries" in parsed) return faultOf(`the body ${parsed.fault}`);
  if ("fault" in parsed) return faultOf("the body is not a JSON object");
  const { value } = parsed;
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? { fields: { ...value } } : faultOf("the body is not a JSON object");
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

async function multipartFields(body: Buffer, contentType: string): Promise<ReadRequest> {
  const parts = await readParts(body, contentType);
  if (!parts) return faultOf(`the body is not valid multipart/form-data, or has more than ${maxParameters} parts`);
  return { fields: gather(parts.map(({ name, isFile, data }) => [name, isFile ? { data } : data.toString()])) };
}
