// SPDX-License-Identifier: MIT

import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { headings, mergeChangesets } from "../../tools/release/changelog.ts";

test("a section of the changelog has the entries of all changesets under the headings, in their order", () => {
  const texts = globSync(".changeset/*.md")
    .filter((file) => !file.endsWith("README.md"))
    .map((file) => readFileSync(file, "utf8"));
  const section = mergeChangesets([
    ...texts,
    "---\na: b\n---\n\n### API\n\n- one\n\n- two\n\n### Upgrade\n\n- first\n",
    // Right after a release there are no other entries.
    "---\na: b\n---\n\n### API\n\n- three\n",
  ]);
  const found = [...section.matchAll(/^### (.*)$/gm)].map(([, heading]) => heading);
  expect(found).toEqual(headings.filter((heading) => found.includes(heading)));
  expect(section).toMatch(/^### Upgrade\n\n/);
  expect(section).toContain("- one\n- two\n- three");
  const lines = section.split("\n").filter((line) => line !== "" && !line.startsWith("### "));
  expect(lines.filter((line) => !line.startsWith("- "))).toEqual([]);
});

test.each([
  ["without a heading", "- one", "before its first heading"],
  ["with an unknown heading", "### Misc\n\n- one", "the heading Misc"],
  ["with too many lines", `### API\n\n${"- one\n".repeat(200)}`, "the section has 202 lines, at most 150"],
])("a changeset %s is refused", (_, text, reason) => {
  expect(() => mergeChangesets([`---\na: b\n---\n\n${text}\n`])).toThrow(reason);
});
