import { Busboy } from "@fastify/busboy";
import { ServiceError } from "@reading-list/core/errors.ts";
import type { HttpRequest } from "./call.ts";

/** What could be read of a call's parameters, and what is wrong with the rest. */
interface ReadParameters {
  parameters: Record<string, string>;
  fault: ServiceError | undefined;
}

/**
 * Reads a call's parameters (spec section 4, contract "Requests"): the query string and, with POST, a urlencoded or
 * multipart body, which wins over it. The last of several values wins, an empty value is the same as none, and names
 * that the endpoint does not know are passed over unread.
 *
 * A body of another type and text that is not UTF-8 are a fault of kind `invalid`; the rest is read all the same, so
 * that the call can be counted against its key.
 */
export async function readParameters(event: HttpRequest, names: ReadonlySet<string>): Promise<ReadParameters> {
  const query = readUrlencoded(Buffer.from(event.rawQueryString), names);
  const body = event.requestContext.http.method === "POST" ? await readBody(event, names) : query;
  const parameters: Record<string, string> = {};
  let fault = body instanceof ServiceError ? body : undefined;
  for (const [name, value] of body instanceof ServiceError ? query : [...query, ...body]) {
    if (value.length === 0) continue;
    try {
      parameters[name] = utf8.decode(value);
    } catch {
      fault ??= new ServiceError("invalid", `${name} is not valid UTF-8`);
    }
  }
  return { parameters, fault };
}

/** Values as bytes, the last of each name. */
type RawValues = Map<string, Uint8Array>;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

async function readBody(event: HttpRequest, names: ReadonlySet<string>): Promise<RawValues | ServiceError> {
  const body = Buffer.from(event.body ?? "", event.isBase64Encoded ? "base64" : "utf8");
  if (body.length === 0) return new Map();
  const contentType = event.headers["content-type"] ?? "";
  const mediaType = contentType.split(";", 1)[0]?.trim().toLowerCase();
  if (mediaType === "application/x-www-form-urlencoded") return readUrlencoded(body, names);
  if (mediaType === "multipart/form-data") return readMultipart(body, contentType, names);
  return new ServiceError(
    "invalid",
    "a POST body must be application/x-www-form-urlencoded or multipart/form-data; check the Content-Type header",
  );
}

/**
 * Works on bytes, as the text in percent sequences and around them must be checked for UTF-8 as a whole; and piece by
 * piece, as a large body may be anything.
 */
function readUrlencoded(encoded: Buffer, names: ReadonlySet<string>): RawValues {
  const text = encoded.toString("latin1");
  const encodedValues = new Map<string, string>();
  for (let start = 0; start < text.length; ) {
    const next = text.indexOf("&", start);
    const end = next < 0 ? text.length : next;
    const separator = text.indexOf("=", start);
    const nameEnd = separator < 0 || separator > end ? end : separator;
    const name =
      nameEnd - start > longestEncodedName ? "" : percentDecode(text.slice(start, nameEnd)).toString("latin1");
    if (names.has(name)) encodedValues.set(name, text.slice(nameEnd + 1, end));
    start = end + 1;
  }
  return new Map([...encodedValues].map(([name, value]) => [name, percentDecode(value)]));
}

/** No endpoint has a parameter with a name of over 20 characters. */
const longestEncodedName = 60;

/** Decodes form encoding; a `%` that begins no sequence stands for itself, as in browsers. */
function percentDecode(latin1: string): Buffer {
  const decoded = latin1
    .replaceAll("+", " ")
    .replaceAll(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(decoded, "latin1");
}

/** Parts of a multipart body at most; clients send ten. */
const partsAllowed = 1000;

/** Takes every part as raw bytes, as clients label UTF-8 text with charsets that it is not in. */
function readMultipart(
  body: Buffer,
  contentType: string,
  names: ReadonlySet<string>,
): Promise<RawValues | ServiceError> {
  return new Promise((resolve) => {
    const values: RawValues = new Map();
    const refuse = () => resolve(new ServiceError("invalid", "the POST body is not valid multipart/form-data"));
    try {
      const headers = { "content-type": contentType };
      const parser = new Busboy({ headers, isPartAFile: () => true, limits: { parts: partsAllowed } });
      parser.on("file", (name, part) => {
        const chunks: Buffer[] = [];
        part.on("data", (chunk: Buffer) => chunks.push(chunk));
        part.on("error", refuse);
        part.on("end", () => {
          if (names.has(name)) values.set(name, Buffer.concat(chunks));
        });
      });
      parser.on("partsLimit", refuse);
      parser.on("finish", () => resolve(values));
      parser.on("error", refuse);
      parser.end(body);
    } catch {
      refuse();
    }
  });
}
