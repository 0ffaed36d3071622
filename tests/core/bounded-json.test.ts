// SPDX-License-Identifier: MIT

import { type JsonBounds, parseBoundedJson } from "@reading-list/core/contract/bounded-json.ts";
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
  ["[1,2,3,4]", "holds more than 3 values"],
  ['{"a":{"b":1,"c":2,"d":3}}', "holds more than 3 values"],
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
