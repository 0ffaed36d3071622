// SPDX-License-Identifier: MIT

import { fewFields, parseLongJson } from "@reading-list/core/contract/bounded-json.ts";
import { type Call, type HttpRequest, type RequestBody, required } from "./call.ts";
import { decodeText, type FormFields, parseQuery, readForm, readMediaType, withoutLineBreak } from "./form.ts";
import { readParts } from "./multipart.ts";

/** The parameters that could be read, and the first fault of the request. */
interface ReadParameters {
  parameters: Record<string, string>;
  fault: string | undefined;
}

/**
 * The parameters in `names` of the query string and, with POST, of the body. The last value that is not empty wins, so
 * the body wins over the query string. Text that is not UTF-8, and a body of another type, are faults. There are
 * parameters also then, so that the call can be counted against its key.
 */
export async function readParameters(call: Call, names: ReadonlySet<string>): Promise<ReadParameters> {
  const form = readForm(call);
  const query = parseQuery(call.request.query);
  const { parts, ...body } = required(call.content, "content");
  const parameters: Record<string, string> = {};
  let fault = body.fault;
  for (const name of names) {
    const part = parts?.findLast((each) => each.name === name && each.data.length > 0);
    const bytes = part?.data ?? findLastValue(form, name) ?? findLastValue(query, name);
    if (!bytes) continue;
    const text = await decodeText(bytes);
    if (text === undefined) fault ??= `${name} is not valid UTF-8`;
    else parameters[name] = text;
  }
  return { parameters, fault };
}

const findLastValue = (fields: FormFields, name: string) => fields[name]?.findLast((value) => value.length > 0);

/** Reads the body of a call of an endpoint: with POST, a form or multipart. */
export async function readBody(request: HttpRequest): Promise<RequestBody> {
  if (request.method !== "POST") return {};
  const { body: bytes, headers } = request;
  const mediaType = readMediaType(request);
  if (bytes.length === 0) return {};
  if (mediaType === "application/x-www-form-urlencoded") {
    return (await isJson(bytes))
      ? { fault: "the POST body is JSON; send parameters as name=value&name=value" }
      : { form: withoutLineBreak(bytes) };
  }
  if (mediaType === "multipart/form-data") {
    const parts = await readParts(bytes, headers["content-type"] ?? "");
    return parts
      ? { parts }
      : { fault: "the POST body is not valid multipart/form-data, or has more than 1,000 parts" };
  }
  return {
    fault:
      "a POST body must be application/x-www-form-urlencoded or multipart/form-data; check the Content-Type header",
  };
}

/** Whether a body is a JSON object or array as a whole; a form that only begins like one is a form. */
async function isJson(body: Buffer): Promise<boolean> {
  if (!/^\s*[{[]/.test(body.toString("latin1", 0, 100))) return false;
  return "value" in (await parseLongJson(body.toString(), fewFields));
}
