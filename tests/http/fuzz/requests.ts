// SPDX-License-Identifier: MIT

import { type EndpointContract, listMethods, toPath } from "@reading-list/core/contract/endpoint.ts";
import fc from "fast-check";
import { isRequired, oddValues, type Values, valuesOf } from "./values.ts";
import type { WireRequest } from "./wire.ts";

/** A parameter as sent; each character is one byte. */
export interface Given {
  name: string;
  value: string;
}

/** The encodings of a body. */
export const bodyKinds = ["urlencoded", "multipart"] as const;

const hex = (byte: string) => `%${byte.charCodeAt(0).toString(16).padStart(2, "0")}`;
const escapeAll = (value: string) => value.replaceAll(/[^\w.-]/g, hex);
/** Escapes only characters that would end the value or the request line, as some clients do. */
const escapeLeast = (value: string) => value.replaceAll(/[%&+#]|[^!-~]/g, hex);

/** Parameters in form encoding. */
export const writeForm = (givens: readonly Given[], isSloppy = false) =>
  givens.map(({ name, value }) => `${escapeAll(name)}=${(isSloppy ? escapeLeast : escapeAll)(value)}`).join("&");

const boundary = "--Boundary'()+_,-./:=?";
export const urlencoded = "application/x-www-form-urlencoded";
export const multipart = `multipart/form-data; boundary="${boundary}"`;

/** Parameters as the parts of a multipart body. */
export function writeMultipart(givens: readonly Given[]): string {
  const parts = givens.map(
    ({ name, value }, i) =>
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${i % 3 === 1 ? '; filename="a"' : ""}\r\n` +
      `${i % 3 === 2 ? "Content-Type: text/plain; charset=ISO-8859-1\r\n" : ""}\r\n${value}\r\n`,
  );
  return `${parts.join("")}--${boundary}--\r\n`;
}

/** A request of an endpoint with some parameters in the query, and some in a body. */
export function requestOf(
  contract: EndpointContract,
  query: readonly Given[],
  body?: Pick<WireRequest, "headers" | "body">,
): WireRequest {
  const target = `${toPath(contract)}${query.length > 0 ? `?${writeForm(query)}` : ""}`;
  return { method: body ? "POST" : "GET", target, headers: [], body: "", ...body };
}

const oddTypes = [
  "text/plain",
  "application/json",
  "application/xml",
  "application/octet-stream",
  "x",
  ";",
  "*/*",
  "\xff",
  ...["", "=x", '="', `=${"b".repeat(300)}`, "=x; boundary=y", "=x; charset=utf-16"].map(
    (boundary) => `multipart/form-data; boundary${boundary}`,
  ),
  "multipart/form-data",
  "multipart/form-data;;;",
  "multipart/mixed; boundary=x",
  `${urlencoded};charset=ISO-8859-1`,
  `${urlencoded}, ${urlencoded}`,
];

/** Headers that the service ignores, or that are invalid. */
const oddHeaders: [string, string][] = [
  ...["gzip", "br", "*", "*;q=0", "gzip;q=x, br;q=-1", ",,;q=", "identity;q=0", "zstd", "\xff"].map(
    (value): [string, string] => ["accept-encoding", value],
  ),
  ["accept", "application/xml;q=x,*/*;q=\xff"],
  ["accept-language", "-".repeat(500)],
  ["accept-charset", "utf-7"],
  ["content-encoding", "gzip"],
  ["cookie", "a; =; b==;;"],
  ["origin", "null"],
  ["x-forwarded-for", "::1, unknown"],
  ["x-http-method-override", "DELETE"],
  ["authorization", "Basic \xff"],
  ["user-agent", ""],
  ["__proto__", "x"],
  ["constructor", "x"],
];

/** Maximum bytes of a value in a query; gateways accept only some kilobytes in all. */
const maxLengthInQuery = 300;

const none: [string, string][] = [];

/**
 * Requests of an endpoint in every encoding: each parameter is valid, at the limit of its rule, odd, empty, missing, or
 * given twice, in the query or in the body. Content types and other headers do not always match. `right` has the values
 * that make a call succeed.
 */
export function requestsOf(contract: EndpointContract, right: Record<string, Values>): fc.Arbitrary<WireRequest> {
  const parameters = Object.keys(contract.input.shape).map((name) => givensOf(contract, name, right[name]));
  return fc
    .record({
      givens: fc.tuple(...parameters).map((lists) => lists.flat()),
      method: fc.constantFrom(...listMethods(contract)),
      inBody: fc.infiniteStream(fc.integer({ min: 0, max: 3 })),
      kind: fc.constantFrom(...bodyKinds),
      isSloppy: fc.boolean(),
      before: fc.constantFrom("", "", "", "&", "&&=&", "\xef\xbb\xbf"),
      typeEnding: fc.constantFrom("", "", "", ";charset=UTF-8", "; charset=x"),
      oddType: fc.oneof(
        { weight: 14, arbitrary: fc.constant(null) },
        { weight: 1, arbitrary: fc.constantFrom(...oddTypes, undefined) },
      ),
      headers: fc.oneof(fc.constant(none), fc.subarray(oddHeaders, { maxLength: 3 })),
    })
    .map(({ givens, method, inBody, kind, isSloppy, before, typeEnding, oddType, headers }) => {
      const posted: Given[] = [];
      const query: Given[] = [];
      for (const given of givens) {
        const isPosted = (method === "POST" && inBody.next().value > 0) || given.value.length > maxLengthInQuery;
        (isPosted ? posted : query).push(given);
      }
      if (method === "GET" && posted.length === 0) return { ...requestOf(contract, query), headers };
      const isForm = kind === "urlencoded";
      const body = isForm ? before + writeForm(posted, isSloppy) : writeMultipart(posted);
      const type = oddType === null ? (isForm ? urlencoded + typeEnding : multipart) : oddType;
      const typed: [string, string][] = type === undefined ? [] : [["content-type", type]];
      return requestOf(contract, query, { headers: [...typed, ...headers], body });
    });
}

/** Ways to send one parameter: mostly once, with a valid value. */
function givensOf(contract: EndpointContract, name: string, right: Values | undefined): fc.Arbitrary<Given[]> {
  const isNeeded = isRequired(contract, name);
  const fit = right ?? valuesOf(contract, name);
  const once = (values: Values) => values.map((value) => [{ name, value }]);
  const twice = (...values: Values[]) => fc.tuple(...values).map((both) => both.map((value) => ({ name, value })));
  return fc.oneof(
    { weight: isNeeded ? 60 : 12, arbitrary: once(fit) },
    { weight: isNeeded ? 1 : 12, arbitrary: fc.constant<Given[]>([]) },
    { weight: 1, arbitrary: once(fc.constant("")) },
    { weight: 1, arbitrary: once(oddValues) },
    { weight: 1, arbitrary: twice(fit, oddValues) },
    { weight: 1, arbitrary: twice(oddValues, fit) },
  );
}

/** The same bytes after some were flipped, removed, repeated or inserted. */
export function mutationsOf(bytes: string): fc.Arbitrary<string> {
  const place = fc.nat(Math.max(0, bytes.length - 1));
  const mutation = fc.oneof(
    fc.record({
      at: place,
      length: fc.constant(1),
      put: fc.integer({ min: 0, max: 255 }).map((b) => String.fromCharCode(b)),
    }),
    fc.record({ at: place, length: fc.nat(20), put: fc.constant("") }),
    fc.record({
      at: place,
      length: fc.constant(0),
      put: fc.tuple(place, fc.nat(30)).map(([a, n]) => bytes.slice(a, a + n)),
    }),
    fc.record({ at: place, length: fc.constant(0), put: oddValues.map((value) => value.slice(0, 2000)) }),
    fc.record({ at: place, length: fc.constant(Number.POSITIVE_INFINITY), put: fc.constant("") }),
  );
  return fc
    .array(mutation, { minLength: 1, maxLength: 4 })
    .map((mutations) =>
      mutations.reduce((text, { at, length, put }) => text.slice(0, at) + put + text.slice(at + length), bytes),
    );
}
