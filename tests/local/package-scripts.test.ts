// SPDX-License-Identifier: MIT

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const scripts: Record<string, string> = JSON.parse(readFileSync("package.json", "utf8")).scripts;

test("no npm script installs system packages; CI installs browsers and proxies in separate steps", () => {
  expect(Object.values(scripts).join("\n")).not.toMatch(/apt|chromium|firefox|proxies/);
  expect(readFileSync(".ci/run", "utf8")).toMatch(
    /^sh \.ci\/install-chromium\nsh \.ci\/install-firefox\nsh \.ci\/install-proxies\nsh \.ci\/install-epubcheck\nsh \.ci\/install-prometheus\nsh \.ci\/install-compiler\nnpm ci\nsh \.ci\/install-dynamodb-local\nnpm test$/m,
  );
});

test.each([
  ["npm start", ["--import", "./packages/local/require-node.js", "packages/local/main.ts"]],
  ["readinglist", ["packages/ops/readinglist.js"]],
])("%s on an older Node ends with one line that says what to do", async (_, args) => {
  const asNode20 = "data:text/javascript,Object.defineProperty(process,'versions',{value:{node:'20.20.2'}})";
  const child = spawn(process.execPath, ["--import", asNode20, ...args]);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += text));
  expect((await once(child, "close"))[0]).toBe(1);
  expect(output).toMatch(/^Node 24 or later is required.* npm ci --omit=dev.*\n$/);
});
