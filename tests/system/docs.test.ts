// SPDX-License-Identifier: MIT

import { existsSync, globSync, readFileSync } from "node:fs";
import path from "node:path";
import { endpoints } from "@reading-list/core/contract/endpoints.ts";
import { operatorEndpoints } from "@reading-list/core/contract/operator.ts";
import englishTexts from "@reading-list/web/locales/en.json" with { type: "json" };
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

/** Labels of browsers, which guides to the extension quote, too. */
const labelsOfBrowsers = ["Developer mode", "Load unpacked", "Load Temporary Add-on…"];

/** The texts of a catalogue, also the parts around their placeholders. */
function textsOf(catalogue: object): string[] {
  return Object.values(catalogue).flatMap((text) =>
    typeof text === "string" ? [text, ...text.split(/\{[^}]*\}/).map((part) => part.trim())] : textsOf(text),
  );
}

test.each(["README.md", "docs/self-hosting.md", "docs/web-reader.md", "packages/extension/README.md"])(
  "every label that %s quotes exists in the interface",
  (page) => {
    const prose = readFileSync(page, "utf8").replaceAll(/```[\s\S]*?```|`[^`\n]*`|^ {4}.*$/gm, "");
    const quoted = [...prose.matchAll(/"([A-Z][^"\n]*)"/g)].map(([, label = ""]) => label);
    const labels = [...textsOf(englishTexts), ...labelsOfBrowsers];
    expect(quoted.filter((label) => !labels.includes(label))).toEqual([]);
  },
);

test("README.md stays below 1,000 words", () => {
  const words = readFileSync("README.md", "utf8").match(/\S*[\p{L}\p{N}]\S*/gu)?.length ?? 0;
  expect(words).toBeLessThan(1000);
});
