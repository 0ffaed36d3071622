// SPDX-License-Identifier: MIT

import type { EndpointContract } from "@reading-list/core/contract/endpoint.ts";
import fc from "fast-check";
import { utf8 } from "./wire.ts";

/** Values of parameters as bytes, one in each character: valid ones, ones at the limit of a rule, and odd ones. */
export type Values = fc.Arbitrary<string>;

/** A word in every password and API key that is sent; no answer may contain it. */
export const secret = "plantedsecret";

/** A word in odd values; no error may contain it. */
export const plantedValue = "plantedvalue";

const texts = [
  plantedValue,
  `${plantedValue}://${plantedValue}`,
  `{"${plantedValue}`,
  `\n${plantedValue}`,
  "0",
  "1",
  "-1",
  "+1",
  "1.5",
  "1e3",
  "0x10",
  " 1",
  "1 ",
  "１",
  "00",
  "99999999999999999999",
  "9".repeat(21),
  "null",
  "undefined",
  "true",
  "NaN",
  "Infinity",
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "%",
  "%%",
  "%z",
  "%2",
  "%u0041",
  "%00",
  "+",
  "&",
  "=",
  "&&==",
  "?",
  "#",
  ";",
  ",",
  ",,",
  "\\",
  "'",
  '"',
  "`",
  "[]",
  "{}",
  "{",
  "}",
  "{{}}",
  "[object Object]",
  "<a>&b;</a>",
  "<![CDATA[",
  "]]>",
  "${x",
  "{{x}}",
  "../../..",
  "\0",
  "a\0b",
  "\n",
  "\r\nX-Injected: 1\r\n\r\n",
  "\t",
  "\u001b[31m",
  "\u2028",
  "\ufeff",
  "\ufeff1",
  "\ufffe",
  "json,xml",
  "JSON",
  "read,unread",
  "ÅÉÎ",
  "İ",
  "ß",
  "漢字",
  "😀",
  "👨‍👩‍👧‍👦",
  "e\u0301",
  "\u202e",
].map(utf8);

/** Not UTF-8: truncated, overlong, an unpaired surrogate, beyond Unicode, another charset. */
const brokenTexts = ["\xff\xfe", "\xc3", "\xe2\x82", "\xc0\xaf", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\xe9"];

const lengths = [1, 19, 20, 21, 999, 1000, 1001, 4096, 4097];
const longTexts = fc
  .tuple(fc.constantFrom("a", "é", "😀", "\u0301", "%", "a,", '{"', "["), fc.constantFrom(...lengths, 60_000))
  .map(([unit, length]) => utf8(unit.repeat(length)));

export const oddValues: Values = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...texts) },
  { weight: 1, arbitrary: fc.constantFrom(...brokenTexts) },
  { weight: 1, arbitrary: longTexts },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 40 }).map(utf8) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString("latin1")) },
);

/** URLs that can be saved, and some that cannot. */
const urls: Values = fc.oneof(
  fc.webUrl({ withQueryParameters: true, withFragments: true }).map(utf8),
  fc
    .constantFrom(
      "http://example.com",
      "HTTPS://EXAMPLE.COM:443/a/../b",
      "http://user:pass@example.com/",
      "http://[::1]:80/",
      "http://例え.jp/ü?ö#ä",
      "http://example.com/#/route",
      "http:example.com",
      "https://%65xample.com/",
      "  http://example.com/  ",
      "http://exa\tmple.com/\n",
      "http://0x7f.1/",
      "http://1.1.1.1.1/",
      "ftp://example.com/",
      "javascript:alert(1)",
      "data:text/html,x",
      "//example.com/",
      "http://",
      "http://%/",
      ...[4095, 4096, 4097].map((length) => "http://example.com/".padEnd(length, "a")),
      `http://example.com/${"漢".repeat(4000)}`,
    )
    .map(utf8),
);

const page = fc.nat(6).map((number) => `http://example.com/${number}`);
const mostly = <T>(right: fc.Arbitrary<T>, odd: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 12, arbitrary: right }, { weight: 1, arbitrary: odd });
const entry = mostly<unknown>(
  fc.record(
    {
      url: mostly<unknown>(page, fc.oneof(fc.webUrl(), fc.jsonValue())),
      title: mostly<unknown>(fc.string({ unit: "binary" }), fc.jsonValue()),
      tags: mostly<unknown>(fc.string(), fc.jsonValue()),
      ref_id: mostly<unknown>(fc.string(), fc.jsonValue()),
      more: fc.jsonValue(),
    },
    { requiredKeys: ["url", "title", "tags"] },
  ),
  fc.jsonValue(),
);
const key = fc.oneof(fc.string(), fc.constantFrom("hasOwnProperty", "__proto__", "toString", "length", "0", "-1"));
const whole = '"url":"http://example.com/0","title":"t","tags":"a"';

/** Valid and invalid values of the parameters of `send`. */
export const entryLists: Values = fc
  .oneof(
    { weight: 6, arbitrary: fc.array(entry, { maxLength: 5 }).map((list) => JSON.stringify(list)) },
    { weight: 6, arbitrary: fc.dictionary(key, entry, { maxKeys: 5 }).map((list) => JSON.stringify(list)) },
    { weight: 2, arbitrary: fc.json({ maxDepth: 5 }) },
    {
      weight: 4,
      arbitrary: fc.constantFrom(
        `{"0":{${whole}},"0":{${whole}}}`,
        `{"__proto__":{${whole}}}`,
        `[{"__proto__":{"url":1},${whole}}]`,
        `[{${whole},"url":"javascript:0"}]`,
        `{"constructor":{${whole}},"length":{${whole}}}`,
        `{"length":"9"}`,
        `[{${whole},}]`,
        `[{${whole}}]x`,
        `\ufeff[{${whole}}]`,
        `[{${whole}},null]`,
        `[[{${whole}}]]`,
        `[,{${whole}}]`,
        `[{${whole},"title":"\\u0001\\ufffe]]>\\r"}]`,
        `[{${whole},"title":"\\ud800"}]`,
        `[{${whole},"title":"\\u0000"}]`,
        `[{${whole},"title":"a\nb"}]`,
        `[{${whole},"more":1e999}]`,
        `[${"9".repeat(5000)}]`,
        `{'0':{${whole}}}`,
        `[{${whole}/**/}]`,
        "NaN",
        ...[999, 1000, 1001, 5000].map((length) => `[${Array(length).fill(`{${whole}}`)}]`),
        ...["[", '{"0":', '[{"url":'].map((open) => open.repeat(50_000)),
        `[{${whole},"more":${"[".repeat(50_000)}${"]".repeat(50_000)}}]`,
        `[{${whole},"more":"${"x".repeat(1_000_000)}"}]`,
      ),
    },
  )
  .map(utf8);

const schemaOf = (contract: EndpointContract) => contract.input.toJSONSchema({ io: "input", unrepresentable: "any" });

/** Whether an endpoint requires a parameter. */
export const isRequired = (contract: EndpointContract, name: string) =>
  schemaOf(contract).required?.includes(name) ?? false;

/** The limits of 32 and 64 bits and of a double. */
const numbers = ["0", "1", "2", `${2 ** 31}`, `${2n ** 53n + 1n}`, `${2n ** 63n}`, "9".repeat(20)];

/** Characters. */
const longText = 100_000;

/** Valid values of a parameter and those at the limits of its rule, derived from its schema. */
export function valuesOf(contract: EndpointContract, name: string): Values {
  if (name === "url") return urls;
  const schema = schemaOf(contract).properties?.[name];
  if (typeof schema !== "object") throw new Error(`${contract.name} has no parameter ${name}`);
  if (schema.enum) return fc.constantFrom(...schema.enum.map(String));
  const pattern = new RegExp(schema.pattern ?? "^$");
  if (schema.pattern)
    return fc.oneof(fc.stringMatching(pattern), fc.constantFrom(...numbers.filter((n) => pattern.test(n))));
  // Texts of megabytes are sent by largest-requests.test.ts.
  const { maxLength = Number.POSITIVE_INFINITY } = schema;
  if (maxLength > longText) return entryLists;
  const edges = [1, maxLength - 1, maxLength, maxLength + 1];
  return fc
    .oneof(
      fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }),
      fc.tuple(fc.constantFrom("a", "é", "😀"), fc.constantFrom(...edges)).map(([unit, length]) => unit.repeat(length)),
    )
    .map(utf8);
}
