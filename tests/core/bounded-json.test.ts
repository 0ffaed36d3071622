// SPDX-License-Identifier: MIT

import { type JsonBounds, parseBoundedJson, parseLongJson } from "@reading-list/core/contract/bounded-json.ts";
import fc from "fast-check";
import { expect, test } from "vitest";

const bounds: JsonBounds = { members: 3, levels: 2 };

test.each([
  ["{}", {}],
  ['{"a":[1,2]}', { a: [1, 2] }],
  ['["}],[{", "\\"[[[,,,,", "\\\\"]', ["}],[{", '"[[[,,,,', "\\"]],
  ["null", null],
])("JSON within its bounds is parsed: %s", (json, value) => {
  expect(parseBoundedJson(json, bounds)).toEqual({ value });
});

test.each([
  ["[1,2,3,4]", "contains more than 3 values"],
  ['{"a":{"b":1,"c":2,"d":3}}', "contains more than 3 values"],
  ["[[[]]]", "is nested deeper than 2 levels"],
  ["[".repeat(100_000), "is nested deeper than 2 levels"],
])("JSON beyond its bounds is not parsed: %s", (json, fault) => {
  expect(parseBoundedJson(json.slice(0, 100), bounds)).toMatchObject({ fault });
});

test.each(["", "{", '"', "[1 2]", '{"a"}', "]]"])("a text that is not JSON is refused: %s", (json) => {
  expect(parseBoundedJson(json, bounds)).toEqual({ fault: "is not valid JSON" });
});

test("every JSON text is parsed as by JSON.parse if its bounds are high", () => {
  const high = { members: 1e9, levels: 1e9 };
  fc.assert(
    fc.property(fc.json(), (json) => {
      expect(parseBoundedJson(json, high)).toEqual({ value: JSON.parse(json) });
    }),
  );
});

test("JSON with more entries than there may be is not parsed", () => {
  expect(parseBoundedJson("[1,[2,3],4]", { ...bounds, members: 9, entries: 2 })).toMatchObject({
    fault: "contains more than 2 entries",
  });
});

/** Values that a text is parsed in parts for. */
const many = 12_000;
const high = { members: 1e6, levels: 32 };
const elements = (parts: readonly string[]) => Array.from({ length: many }, (_, i) => parts[i % parts.length]);
const members = (parts: readonly string[]) =>
  elements(parts).map((part, i) => `${JSON.stringify(i % 7 === 0 ? String(i % 90) : `key${i % 9000}`)}:${part}`);

test("a long text is parsed in parts as JSON.parse does in one", async () => {
  const parts = fc.array(fc.json({ maxDepth: 2 }), { minLength: 1, maxLength: 9 });
  await fc.assert(
    fc.asyncProperty(parts, fc.constantFrom("", " ", "\n\t"), async (given, blank) => {
      const texts = [`[${elements(given)}]`, `{${members(given).join(`${blank},${blank}`)},"__proto__":1}`];
      for (const json of texts.map((text) => blank + text + blank)) {
        const parsed = await parseLongJson(json, high);
        expect(parsed).toStrictEqual({ value: JSON.parse(json) });
        expect(JSON.stringify(Object.values(parsed)[0])).toBe(JSON.stringify(JSON.parse(json)));
      }
    }),
    { numRuns: 10 },
  );
});

const first = elements(["1"]).join();
test.each([
  `[${first},]`,
  `[${first},,${first}]`,
  `[,${first},${first}]`,
  `[${first}}`,
  `[${first}]]`,
  `[${first}] ${first}]`,
  `[${first},{]},${first}]`,
  `\u00a0[${first}]`,
  `[${first}]\ufeff`,
  `[${first}`,
  `{"a":1,${first}}`,
  `1[${first}]`,
])("a long text that is not JSON is refused (%#)", async (json) => {
  expect(() => JSON.parse(json)).toThrow();
  expect(await parseLongJson(json, high)).toHaveProperty("fault");
});

test("a single entry may not hold all values of a long text", async () => {
  const json = `[1,{${members(["1"])}}]`;
  expect(await parseLongJson(json, high)).toMatchObject({ fault: "contains more than 5000 values in one entry" });
});
