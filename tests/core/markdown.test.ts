// SPDX-License-Identifier: MIT

import { writeMarkdown } from "@reading-list/core/domain/markdown.ts";
import markdownIt from "markdown-it";
import { expect, test } from "vitest";

test.each<[string, string, string]>([
  ["headings and paragraphs", "<h2>A <em>b</em></h2><p>c\n d</p><p> </p>", "## A *b*\n\nc d"],
  ["emphasis without white space at its ends", "<p>a<b> b </b>c</p>", "a **b** c"],
  ["emphasis around several blocks", "<strong><p>a</p><p>b</p></strong>", "**a**\n\n**b**"],
  [
    "links, and none without a target",
    '<p><a href="https://e.org/a(b)">x</a> <a>y</a></p>',
    "[x](<https://e.org/a(b)>) y",
  ],
  [
    "images as their descriptions",
    '<p><img src="https://e.org/a.png" alt="A [cat]"><img src="b"></p>',
    "(Image: A \\[cat\\])",
  ],
  [
    "lists within lists",
    "<ol><li>a<ul><li>b</li></ul></li><li><p>c</p><p>d</p></li></ol>",
    "1. a\n   - b\n2. c\n\n   d",
  ],
  ["a list after a list", "<ul><li>a</li></ul><p>b</p><ul><li>c</li></ul>", "- a\n\nb\n\n- c"],
  ["quotes", "<blockquote><p>a</p><ul><li>b</li></ul></blockquote><p>c</p>", "> a\n>\n> - b\n\nc"],
  ["preformatted text", "<pre><code>a\n  <b>*b*</b> ``` c</code></pre>", "````\na\n  *b* ``` c\n````"],
  ["code in a line", "<p><code>a`b</code> <code>`</code></p>", "``a`b`` `` ` ``"],
  [
    "tables",
    "<table><tr><th>a</th><th>b</th></tr><tr><td>1|2</td><td><p>x</p><p>y</p></td></tr></table>",
    "| a | b |\n| --- | --- |\n| 1\\|2 | x y |",
  ],
  ["line breaks and rules", "<p>a<br>b</p><hr><p>c</p>", "a  \nb\n\n---\n\nc"],
  [
    "text that looks like marks",
    "<p># a</p><p>1. b</p><p>*c* [d] _e_ f_g &lt;i&gt;</p>",
    "\\# a\n\n1\\. b\n\n\\*c\\* \\[d\\] \\_e\\_ f_g \\<i>",
  ],
  ["nothing", "", ""],
])("writes %s", async (_, html, expected) => {
  expect(await writeMarkdown(html)).toBe(expected);
});

test("a text without formatting is the same after writing and parsing, whatever characters it has", async () => {
  const text = "a * b _ c ` d [e](f) <g> \\h # i ~ j ![k](l) **m** 5_000 & n > o";
  const html = `<p>${text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")}</p>`;
  const read = markdownIt().render(await writeMarkdown(html));
  expect(read.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&")).toBe(`<p>${text}</p>\n`);
});

test("quotes and lists nested deeper than a reader can follow take no quadratic space", async () => {
  const html = "<blockquote>x".repeat(100) + "</blockquote>".repeat(100);
  expect((await writeMarkdown(html)).length).toBeLessThan(100 * 50);
});
