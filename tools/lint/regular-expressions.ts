// SPDX-License-Identifier: MIT

import { hash } from "node:crypto";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { parseSync, Visitor } from "oxc-parser";
// Its pure JavaScript build, which needs neither Java nor a native program.
import recheck from "recheck/lib/browser.js";

/**
 * Checks every regular expression of the product for backtracking that takes more than linear time, and fails with a
 * list. A comment `bounded: <why>` in the line before allows one whose input is short, or whose process is ended.
 * Expressions that were found linear are in `linear-expressions.json`, since some take seconds and the fuzzer's verdict on
 * some depends on chance. Only `--write` runs the fuzzer, and adds new ones.
 */

const isWriting = process.argv.includes("--write");
const known = new URL("linear-expressions.json", import.meta.url);
const linear = new Set<string>(JSON.parse(readFileSync(known, "utf8")));
const used = new Set<string>();
const faults: string[] = [];

const idOf = (pattern: string, flags: string) => hash("sha256", `/${pattern}/${flags}`).slice(0, 16);

function check(pattern: string, flags: string): string {
  const id = idOf(pattern, flags);
  used.add(id);
  if (linear.has(id)) return "";
  if (!isWriting) return "new: run `node tools/lint/regular-expressions.ts --write`";
  const found = recheck.checkSync(pattern, flags, { timeout: 20_000 });
  if (found.status === "vulnerable") return found.complexity.summary;
  if (found.status === "unknown") return "not known to be linear";
  linear.add(id);
  return "";
}

const files = globSync("packages/**/*.{ts,tsx}", {
  exclude: (name) => /node_modules|^packages\/testing/.test(name),
}).sort();
for (const file of files) {
  const code = readFileSync(file, "utf8");
  const lines = code.split("\n");
  const visitor = new Visitor({
    Literal(node) {
      if (!("regex" in node) || !node.regex) return;
      const line = code.slice(0, node.start).split("\n").length;
      const isAllowed = [lines[line - 1], lines[line - 2]].some((each) => /\/\/ bounded: \S/.test(each ?? ""));
      const fault = isAllowed ? "" : check(node.regex.pattern, node.regex.flags);
      if (fault) faults.push(`${file}:${line}: /${node.regex.pattern}/${node.regex.flags} is ${fault}`);
    },
  });
  visitor.visit(parseSync(file, code).program);
}

if (isWriting) {
  writeFileSync(known, `${JSON.stringify([...linear].filter((id) => used.has(id)).sort(), null, 2)}\n`);
}
if (faults.length > 0) {
  console.error(
    `${faults.join("\n")}\nRewrite these expressions, or say in a comment "bounded: …" why their input is short.`,
  );
  process.exitCode = 1;
}
