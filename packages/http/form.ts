// SPDX-License-Identifier: MIT

import { isUtf8 } from "node:buffer";
import { type ParsedUrlQuery, parse } from "node:querystring";
import httpUrlencodeBodyParser from "@middy/http-urlencode-body-parser";
import { doAtOnce, doInTurns, nextTurn } from "@reading-list/core/domain/turns.ts";
import type { Call, ChainLink, HttpRequest, RequestBody } from "./call.ts";
import { maxParameters } from "./multipart.ts";

/** Bytes of a long text: other calls are answered between the steps that read it. */
const longText = 250_000;

const noBody = Buffer.alloc(0);

/** The fields of a form or a query string, each with the bytes of its values in order. */
export type FormFields = Record<string, Buffer[]>;

/**
 * Reads the form of a call: decodes its values, and lets middy's parser gather the names, with the number of the value in
 * place of each (`readForm`). The parser gets every call, because `readBody` has checked the Content-Type by the rules of
 * its API.
 */
export const parseForm = (readBody: (request: HttpRequest) => Promise<RequestBody>): ChainLink[] => [
  {
    before: async ({ event: call }) => {
      const { request } = call;
      const { form = noBody, ...content } = await readBody(request);
      // It may be long, and the call, too.
      request.body = noBody;
      const decoding = decodeForm(form, countParameters(request.query));
      const { names, values, isTooLong } = form.length > longText ? await doInTurns(decoding) : doAtOnce(decoding);
      call.body = names;
      call.values = values;
      call.content = isTooLong ? { fault: "there are more than 1,000 parameters", ...content } : content;
    },
  },
  // Its type is for events of API Gateway, but it reads and replaces only `body`.
  httpUrlencodeBodyParser({ disableContentTypeCheck: true }) as unknown as ChainLink,
];

/** The fields of the form in the body of a call, after `parseForm`. */
export function readForm({ body, values }: Pick<Call, "body" | "values">): FormFields {
  if (typeof body !== "object" || !values) throw new Error("the chain has not parsed the form of this call");
  return nameFields(body as ParsedUrlQuery, values);
}

/** The fields of a query string. */
export function parseQuery(query: string): FormFields {
  if (query === "") return nameFields({}, []);
  const { names, values } = doAtOnce(decodeForm(Buffer.from(query)));
  return nameFields(parse(names), values);
}

function nameFields(names: ParsedUrlQuery, values: readonly Buffer[]): FormFields {
  // Without a prototype, so that no name of a field finds a property of all objects.
  const fields: FormFields = Object.create(null);
  for (const name in names) {
    const numbers = names[name] ?? [];
    const findBytes = (number: string) => values[Number(number)] ?? noBody;
    fields[name] = typeof numbers === "string" ? [findBytes(numbers)] : numbers.map(findBytes);
  }
  return fields;
}

/** The text of a value; undefined if it is not UTF-8. A long one is decoded in a separate turn. */
export async function decodeText(bytes: Buffer): Promise<string | undefined> {
  if (bytes.length <= longText) return decodeAtOnce(bytes);
  await nextTurn();
  const text = decodeAtOnce(bytes);
  await nextTurn();
  return text;
}

const decodeAtOnce = (bytes: Buffer): string | undefined => (isUtf8(bytes) ? bytes.toString() : undefined);

/** The media type of a body, in lower case. */
export const readMediaType = ({ headers }: HttpRequest) =>
  headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase();

/** A form without the line break at its end, which old clients add and do not mean as part of the last value. */
export function withoutLineBreak(form: Buffer): Buffer {
  const end = form.toString("latin1", Math.max(0, form.length - 2)).match(/\r?\n$/)?.[0] ?? "";
  return form.subarray(0, form.length - end.length);
}

const countParameters = (query: string) => (query ? query.split("&").length : 0);

/** Bytes that are decoded in one step: some 5 ms. */
const bytesAtOnce = 1_000_000;
/** Bytes of a name that a parameter may have. */
const longestName = 200;
const ampersand = 0x26;
const equals = 0x3d;
const percent = 0x25;
const plus = 0x2b;
const space = 0x20;
const hexDigits = "0123456789abcdef";
const hexValues = Array.from({ length: 256 }, (_, code) => hexDigits.indexOf(String.fromCharCode(code).toLowerCase()));
const parseHexDigit = (code: number | undefined) => (code === undefined ? -1 : (hexValues[code] ?? -1));

/** A form with the number of each value instead of the value. */
interface DecodedForm {
  names: string;
  values: Buffer[];
  /** It has too many parameters together with the `others`; these are its first. */
  isTooLong: boolean;
}

/**
 * Decodes the values of a form: the form parser replaces invalid UTF-8 silently, corrupts the characters next to a stray
 * `%`, and takes 0.1 s for 10 MB in one turn. Pauses after each step.
 */
function* decodeForm(form: Buffer, others = 0): Generator<undefined, DecodedForm> {
  const names: string[] = [];
  const values: Buffer[] = [];
  let count = others;
  for (let start = 0; start < form.length && count <= maxParameters; count++) {
    const next = form.indexOf(ampersand, start);
    const pair = form.subarray(start, next < 0 ? form.length : next);
    start += pair.length + 1;
    if (pair.length === 0) continue;
    const at = pair.indexOf(equals);
    const name = at < 0 ? pair : pair.subarray(0, at);
    // A longer name does not belong to any field.
    names.push(`${name.length > longestName ? "" : name.toString("latin1")}=${values.length}`);
    values.push(at < 0 ? noBody : yield* decodeValue(pair.subarray(at + 1)));
    yield;
  }
  return { names: names.join("&"), values, isTooLong: count > maxParameters };
}

/**
 * The bytes that a value stands for. A `%` that starts no sequence is literal, as in browsers. Pauses after each step. A
 * loop over bytes: regular expressions take 0.5 s for 4 MB of `%e9`.
 */
function* decodeValue(value: Buffer): Generator<undefined, Buffer> {
  const decoded = Buffer.allocUnsafe(value.length);
  let length = 0;
  for (let i = 0, pause = bytesAtOnce; i < value.length; i++) {
    if (i >= pause) {
      pause += bytesAtOnce;
      yield;
    }
    const byte = value[i] as number;
    const high = byte === percent ? parseHexDigit(value[i + 1]) : -1;
    const low = high < 0 ? -1 : parseHexDigit(value[i + 2]);
    if (low >= 0) {
      decoded[length++] = 16 * high + low;
      i += 2;
    } else decoded[length++] = byte === plus ? space : byte;
  }
  return decoded.subarray(0, length);
}
