// SPDX-License-Identifier: MIT

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { allRules } from "@reading-list/article/article/rules.ts";
import { viewPage } from "@reading-list/article/view/text-view.ts";
import { describe, expect, test } from "vitest";

const folder = path.join(import.meta.dirname, "../../../packages/article/rules");
const names = Object.values(allRules)
  .flat()
  .map(({ name }) => name);

/** Every name in the strings and regular expressions of a rule: all class names and ids that it knows are among them. */
function namesIn(rule: string): string[] {
  const code = readFileSync(path.join(folder, `${rule}.ts`), "utf8").replace(
    /^import.*$|\/\*[\s\S]*?\*\/|\/\/ .*$/gm,
    "",
  );
  const literals = code.match(/"[^"\n]*"|`[^`]*`|\/(?:\\.|[^/\n\\ *])(?:\\.|[^/\n\\])*\/[a-z]*/g) ?? [];
  // A pattern with a space is for text.
  const ofNames = literals
    .map((literal) => literal.replace(/\(\?:\^\| \)|\(\?: \|\$\)/g, ""))
    .filter((literal) => !literal.startsWith("/") || !literal.includes(" "));
  const found = ofNames.flatMap((literal) => alternativesOf(literal.replace(/\\[a-z]/gi, " ")));
  return [...new Set(found.flatMap((text) => text.match(/[a-z][\w-]*[a-z0-9]/gi) ?? []))];
}

/** The texts that the groups of a regular expression allow; of one with very many, as they stand. */
function alternativesOf(pattern: string): string[] {
  let texts = [pattern];
  for (let found = true; found && texts.length < 500; ) {
    found = false;
    texts = texts.flatMap((text) => {
      const group = /\((?:\?[:!=]|\?<[!=])?([^()]*)\)\??/.exec(text);
      if (group === null) return [text];
      found = true;
      const { 0: whole, 1: inner = "", index } = group;
      return inner.split("|").map((one) => `${text.slice(0, index)}${one}${text.slice(index + whole.length)}`);
    });
  }
  return texts.flatMap((text) => text.replaceAll("?", "").split("|"));
}

const sentence = (n: number) =>
  `Sentence ${n} of the text says, in so many words, that the boat came back to the harbour.`;
const sentences = Array.from({ length: 12 }, (_, n) => sentence(n));
const bodies: Record<string, string> = {
  "paragraphs without a heading": sentences.map((text) => `<p>${text}</p>`).join(""),
  "text without paragraphs, lists or headings": sentences.join("<br><br>"),
  "a heading and paragraphs": `<h1>A story</h1>${sentences.map((text) => `<p>${text}</p>`).join("")}`,
};
const lost = (attributes: string, body: string) => {
  const page = `<!doctype html><title>A story</title><nav><a href="/">Home</a></nav><div ${attributes}>${body}</div>
    <div><p>The town is by the sea, and its paper is read there.</p></div><footer><p>Made in the town, since 1920.</p></footer>`;
  const { html } = viewPage(page, "https://example.com/story", { mode: "less", images: false });
  return sentences.filter((text) => !html.includes(text)).length;
};

describe("no rule removes an article because of the name of its container:", () => {
  test("each rule has a file with its name", () => {
    const files = readdirSync(folder).map((file) => path.basename(file, ".ts"));
    expect(files).toEqual(expect.arrayContaining(names));
  });

  describe.each(Object.entries(bodies))("%s", (_name, body) => {
    test.each([...new Set(names)])("%s", (rule) => {
      expect(namesIn(rule).filter((name) => lost(`class="${name}" id="${name}"`, body) > 0)).toEqual([]);
    });
  });

  test("names in groups of a regular expression are read from the rule", () => {
    expect(namesIn("page-parts")).toEqual(expect.arrayContaining(["print-only", "clipped", "a-off-screen"]));
  });
});
