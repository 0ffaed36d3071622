// SPDX-License-Identifier: MIT

import { fewFields, type JsonBounds, parseLongJson } from "@reading-list/core/contract/bounded-json.ts";
import { type Call, type HttpRequest, type RequestBody, required } from "./call.ts";
import { decodeText, type FormFields, parseQuery, readForm, readMediaType, withoutLineBreak } from "./form.ts";
import { maxParameters, type Part, readParts } from "./multipart.ts";

/**
 * Fields of a request; a field that is given several times, such as `id=1&id=2`, has an array of its values. A file of a
 * multipart body is an object with its bytes as `data`, and its header `Location`.
 */
type RequestFields = Record<string, unknown>;

/** The fields of a request or, with a fault, the fields that could be read. */
export interface ReadRequest {
  fields: RequestFields;
  /** Only the parameters of the query string. */
  query?: RequestFields;
  fault?: string;
}

/**
 * Reads the fields of a call of another service's API: of the query string, of the body (a JSON object, a form or
 * multipart), and of the path. If two have the same name, the body wins over the query string, and the path over both.
 */
export async function readRequest(call: Call): Promise<ReadRequest> {
  const { json, parts = [], fault } = required(call.content, "content");
  const query = await decodeFields(parseQuery(call.request.query));
  const form = await decodeFields(readForm(call));
  const path = readPathFields(call.pathParameters ?? {});
  const fields = { ...query.fields, ...form.fields, ...json, ...gatherParts(parts), ...path.fields };
  const firstFault = fault ?? query.fault ?? form.fault ?? path.fault;
  return { fields, query: query.fields, ...(firstFault && { fault: firstFault }) };
}

const notUtf8 = "the request is not valid UTF-8";

function readPathFields(parameters: Record<string, string>): ReadRequest {
  try {
    const decoded = Object.entries(parameters).map(([name, value]) => [name, decodeURIComponent(value)]);
    return { fields: Object.fromEntries(decoded) };
  } catch {
    return { fields: {}, fault: "the path is not percent-encoded UTF-8" };
  }
}

/** Reads the body of a call of another service's API: a JSON object within `bounds`, a form or multipart. */
export async function readApiBody(request: HttpRequest, bounds = fewFields): Promise<RequestBody> {
  const { body: bytes, headers } = request;
  const mediaType = readMediaType(request);
  if (bytes.length === 0) return {};
  if (mediaType === "multipart/form-data") {
    const parts = await readParts(bytes, headers["content-type"] ?? "");
    return parts
      ? { parts }
      : { fault: `the body is not valid multipart/form-data, or has more than ${maxParameters} parts` };
  }
  const decoded = await decodeText(bytes);
  if (decoded === undefined) return { fault: notUtf8 };
  const text = decoded.replace(/^\ufeff/, "");
  // Some clients send JSON with the content type of a form, or without one.
  if (mediaType?.endsWith("json") || /^\s*\{/.test(text.slice(0, 100))) return readJson(text, bounds);
  if (!mediaType || mediaType === "application/x-www-form-urlencoded") return { form: withoutLineBreak(bytes) };
  return { fault: "the body must be application/json, application/x-www-form-urlencoded or multipart/form-data" };
}

async function readJson(text: string, bounds: JsonBounds): Promise<RequestBody> {
  const parsed = await parseLongJson(text, bounds);
  if ("isOverBounds" in parsed) return { fault: `the body ${parsed.fault}` };
  if ("fault" in parsed) return { fault: "the body is not a JSON object" };
  const { value } = parsed;
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? { json: { ...value } } : { fault: "the body is not a JSON object" };
}

/** The fields of a form or a query string. */
async function decodeFields(form: FormFields): Promise<ReadRequest> {
  const fields: RequestFields = {};
  for (const [name, values] of Object.entries(form)) {
    const texts = await Promise.all(values.map(decodeText));
    if (texts.includes(undefined)) return { fields: {}, fault: notUtf8 };
    fields[name] = texts.length > 1 ? texts : texts[0];
  }
  return { fields };
}

function gatherParts(parts: Part[]): RequestFields {
  const fields = new Map<string, unknown>();
  for (const { name, isFile, data, location } of parts) {
    const value = isFile ? { data, location } : data.toString();
    const earlier = fields.get(name);
    fields.set(name, earlier === undefined ? value : [earlier, value].flat());
  }
  return Object.fromEntries(fields);
}
