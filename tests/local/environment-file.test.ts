// SPDX-License-Identifier: MIT

import { parseEnvironmentFile } from "@reading-list/local/environment-file.ts";
import fc from "fast-check";
import { expect, test } from "vitest";

test.each([
  ["A=1\nB=two words \n", { A: "1", B: "two words" }],
  ["# A=1\n; B=2\n\n  C = 3", { C: "3" }],
  ["A=\nno assignment\n1A=x\nB-C=x\nD=4", { A: "", D: "4" }],
  ["A=$HOME `id` $(id); touch x & (y)", { A: "$HOME `id` $(id); touch x & (y)" }],
  ['A=\'one "two" \\n\'\nB="a \\"b\\" \\$c \\d"', { A: 'one "two" \\n', B: 'a "b" $c \\d' }],
  ['A=it\'s "so"', { A: 'it\'s "so"' }],
  ["A=a\\b\\\\c", { A: "ab\\c" }],
  ["A=one \\\ntwo\nB=3", { A: "one two", B: "3" }],
  ['A="one\ntwo"\nB=3', { A: "one\ntwo", B: "3" }],
  ['A="one" two', { A: "onetwo" }],
  ["A=1\r\nB=2\r\n", { A: "1", B: "2" }],
  ["A=1\nA=2", { A: "2" }],
  ["# a comment with it's\nA=x#y", { A: "x#y" }],
])("reads %j as systemd does", (text, variables) => {
  expect(parseEnvironmentFile(text)).toEqual(variables);
});

test("a value in double quotes is what was written", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 50 }), (value) => {
      const quoted = value.replace(/["\\`$]/g, "\\$&");
      expect(parseEnvironmentFile(`A="${quoted}"`)).toEqual({ A: value });
    }),
  );
});
