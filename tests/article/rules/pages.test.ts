// SPDX-License-Identifier: MIT

import { readdirSync, readFileSync } from "node:fs";
import { viewPage, viewPageInModes } from "@reading-list/article/view/text-view.ts";
import { ruleNames, rulesWithout } from "@reading-list/testing/rules-without.ts";
import { describe, expect, test } from "vitest";
import { lossesOf } from "../../../tools/bench/text-losses.ts";

/**
 * Small hand-written pages, one for each rule, with the expected text beside them. The first comment of a page names the
 * rule that it needs, if the rule can be left out, and says whether it is read with images. Images are shown as `![alt](URL)`.
 */
const folder = new URL("../../pages/", import.meta.url);
const names = readdirSync(folder).flatMap((file) => /^(.*)\.html$/.exec(file)?.[1] ?? []);

function read(name: string) {
  const html = readFileSync(new URL(`${name}.html`, folder), "utf8");
  const [, rule = "-", images] = /<!-- rule: (\S+)( \| images)? -->/.exec(html) ?? [];
  const textWithout = (rule: string | undefined) => {
    const options = { mode: "less", images: images !== undefined } as const;
    const rules = rule === undefined ? undefined : rulesWithout(rule);
    const view = viewPage(html, `https://example.com/${name}`, options, rules);
    return `Title: ${view.title}\n${textOf(view.html)}`;
  };
  return { rule, textWithout };
}

/** The text of a fragment, a line for each block. */
function textOf(html: string): string {
  return html
    .replace(/<img src="([^"]*)" alt="([^"]*)"[^>]*>/g, "![$2]($1)")
    .replace(/<\/?(?:p|div|li|ul|h\d|section|table|tr|article|figure|tbody|pre)\b([^>]*)>/g, "\n")
    .replace(/<\/t[dh]>/g, " | ")
    .replace(/<(\/?)(math|m[a-z]+)\b[^>]*>/g, (tag, end, name) =>
      name === "mark" || name === "main" ? tag : `⟨${end}${name}⟩`,
    )
    .replace(/<[^>]*>/g, "")
    .split("\n")
    .map((line) => line.replace(/\s+/g, " ").trim())
    .filter((line) => line !== "")
    .join("\n");
}

describe("the text of a page is as expected:", () => {
  test.each(names)("%s", async (name) => {
    await expect(`${read(name).textWithout(undefined)}\n`).toMatchFileSnapshot(new URL(`${name}.txt`, folder).pathname);
  });
});

test("text that views lack between their lines is listed with its reason", async () => {
  const rows = names.map((name) => {
    const html = readFileSync(new URL(`${name}.html`, folder), "utf8");
    const { losses } = lossesOf(html, `https://example.com/${name}`);
    return losses.map(({ kind, reason, shown }) => `${name}: ${kind} ${reason} ${shown.slice(0, 60)}\n`).join("");
  });
  await expect(rows.join("")).toMatchFileSnapshot(new URL("losses.txt", folder).pathname);
});

describe("a page that names a rule needs it:", () => {
  test.each(names.filter((name) => read(name).rule !== "-"))("%s", (name) => {
    const { rule, textWithout } = read(name);
    expect(ruleNames).toContain(rule);
    expect(textWithout(rule)).not.toBe(textWithout(undefined));
  });
});

describe("both views of one extraction equal the views of an extraction for each mode:", () => {
  test.each(names)("%s", (name) => {
    const html = readFileSync(new URL(`${name}.html`, folder), "utf8");
    const url = `https://example.com/${name}`;
    const view = (mode: "less" | "more") => viewPage(html, url, { mode, images: true });
    expect(viewPageInModes(html, url, { modes: ["less", "more"], images: true })).toEqual({
      less: view("less"),
      more: view("more"),
    });
  });
});
