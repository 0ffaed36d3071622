import { Busboy } from "@fastify/busboy";
import { ServiceError } from "@reading-list/core/errors.ts";
import type { HttpRequest } from "./call.ts";

/**
 * Reads a call's parameters (spec section 4, contract "Requests"): the query string and, with POST, a urlencoded or
 * multipart body, which wins over it. The last of several values wins, an empty value is the same as none, and names
 * that the endpoint does not know are passed over unread.
 *
 * Throws `invalid` for a body of another type and for text that is not UTF-8.
 */
export async function readParameters(event: HttpRequest, names: ReadonlySet<string>): Promise<Record<string, string>> {
  const query = parseUrlencoded(Buffer.from(event.rawQueryString), names);
  const body = event.requestContext.http.method === "POST" ? await parseBody(event, names) : new Map();
  const values = [query, body].flatMap((place) => [...place].filter(([, value]) => value.length > 0));
  return Object.fromEntries(values.map(([name, value]) => [name, decodeText(name, value)]));
}

type RawValues = Map<string, Uint8Array>;

async function parseBody(event: HttpRequest, names: ReadonlySet<string>): Promise<RawValues> {
  const body = Buffer.from(event.body ?? "", event.isBase64Encoded ? "base64" : "utf8");
  if (body.length === 0) return new Map();
  const contentType = event.headers["content-type"] ?? "";
  const mediaType = contentType.split(";", 1)[0]?.trim().toLowerCase();
  if (mediaType === "application/x-www-form-urlencoded") return parseUrlencoded(body, names);
  if (mediaType === "multipart/form-data") return parseMultipart(body, contentType, names);
  throw new ServiceError(
    "invalid",
    "a POST body must be application/x-www-form-urlencoded or multipart/form-data; check the Content-Type header",
  );
}

/** Works on bytes, as the text in percent sequences and around them must be checked for UTF-8 as a whole. */
function parseUrlencoded(encoded: Buffer, names: ReadonlySet<string>): RawValues {
  const values: RawValues = new Map();
  for (const pair of encoded.toString("latin1").split("&")) {
    const end = pair.indexOf("=");
    const name = percentDecode(end < 0 ? pair : pair.slice(0, end)).toString("latin1");
    if (names.has(name)) values.set(name, end < 0 ? new Uint8Array() : percentDecode(pair.slice(end + 1)));
  }
  return values;
}

/** Decodes form encoding; a `%` that begins no sequence stands for itself, as in browsers. */
function percentDecode(latin1: string): Buffer {
  const decoded = latin1
    .replaceAll("+", " ")
    .replaceAll(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(decoded, "latin1");
}

/** Takes every part as raw bytes, as clients label UTF-8 text with charsets that it is not in. */
function parseMultipart(body: Buffer, contentType: string, names: ReadonlySet<string>): Promise<RawValues> {
  return new Promise((resolve, reject) => {
    const values: RawValues = new Map();
    const refuse = () => reject(new ServiceError("invalid", "the POST body is not valid multipart/form-data"));
    try {
      const parser = new Busboy({ headers: { "content-type": contentType }, isPartAFile: () => true });
      parser.on("file", (name, part) => {
        const chunks: Buffer[] = [];
        part.on("data", (chunk: Buffer) => chunks.push(chunk));
        part.on("error", refuse);
        part.on("end", () => {
          if (names.has(name)) values.set(name, Buffer.concat(chunks));
        });
      });
      parser.on("finish", () => resolve(values));
      parser.on("error", refuse);
      parser.end(body);
    } catch {
      refuse();
    }
  });
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decodeText(name: string, value: Uint8Array): string {
  try {
    return utf8.decode(value);
  } catch {
    throw new ServiceError("invalid", `${name} is not valid UTF-8`);
  }
}
