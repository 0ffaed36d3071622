// SPDX-License-Identifier: MIT

import { existsSync, globSync, readFileSync } from "node:fs";
import path from "node:path";
import { endpoints } from "@reading-list/core/contract/endpoints.ts";
import { operatorEndpoints } from "@reading-list/core/contract/operator.ts";
import { expect, test } from "vitest";

const files = globSync(["*.{ts,md}", "{docs,packages,stacks,tests,tools}/**/*.{ts,md}"], {
  exclude: ["**/node_modules/**", "**/dist/**"],
});
const pages = files.filter((file) => file.endsWith(".md"));
const headingsOf = (page: string) =>
  [...readFileSync(page, "utf8").matchAll(/^#+ (.+)$/gm)].map(([, text]) => text ?? "");

/** The anchor that GitHub gives a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");

test("every link between pages has an existing file and heading as its target", () => {
  const broken: string[] = [];
  for (const page of pages) {
    for (const [, link = ""] of readFileSync(page, "utf8").matchAll(/\]\(([^)\s]+)\)/g)) {
      if (URL.canParse(link)) continue;
      const [file, anchor] = link.split("#", 2);
      const target = file ? path.join(path.dirname(page), file) : page;
      const isThere = existsSync(target) && (!anchor || headingsOf(target).map(anchorOf).includes(anchor));
      if (!isThere) broken.push(`${page}: ${link}`);
    }
  }
  expect(broken).toEqual([]);
});

test("every section of docs/api.md, docs/sync.md and docs/data.md that code or tests cite exists", () => {
  const broken: string[] = [];
  for (const file of files.filter((name) => name.endsWith(".ts"))) {
    for (const [, page = "", sections = ""] of readFileSync(file, "utf8").matchAll(
      /(docs\/(?:api|sync|data)\.md) (\d+(?:\.\d+)?(?:(?:,| and| to) \d+(?:\.\d+)?)*)/g,
    )) {
      const numbers = headingsOf(page).map((heading) => heading.split(" ", 1)[0]?.replace(/\.$/, ""));
      for (const section of sections.match(/\d+(?:\.\d+)?/g) ?? []) {
        if (!numbers.includes(section)) broken.push(`${file}: ${page} ${section}`);
      }
    }
  }
  expect(broken).toEqual([]);
});

test.each([...endpoints, ...operatorEndpoints])("$name has its section in docs/api.md", ({ name, section }) => {
  expect(headingsOf("docs/api.md")).toContainEqual(expect.stringMatching(new RegExp(`^${section} \`${name}\``)));
});

test("README.md stays below 1,000 words", () => {
  const words = readFileSync("README.md", "utf8").match(/\S*[\p{L}\p{N}]\S*/gu)?.length ?? 0;
  expect(words).toBeLessThan(1000);
});
