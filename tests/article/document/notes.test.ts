// SPDX-License-Identifier: MIT

import { viewPage } from "@reading-list/article/view/text-view.ts";
import { prose } from "@reading-list/testing/page-server.ts";
import { describe, expect, test } from "vitest";

const lessOf = (body: string) =>
  viewPage(`<title>A story</title>${body}`, "https://a.example/story", { mode: "less", images: false }).html;

/** The article, with a link to a note with the id `n1`, and the markup around it. */
const article = (mark: string, inside = "") =>
  `<article><h1>A story</h1>${prose}<p>The end.${mark}</p>${prose}${inside}</article>`;
const linked = '<sup><a href="#n1" id="r1">1</a></sup>';
const entry = '<li id="n1">The harbour master said it. <a href="#r1">↩</a></li>';

describe("a note that an article links to is in the view, and its links work:", () => {
  test.each([
    ["in an aside", article(linked, `<aside class="footnotes"><ol>${entry}</ol></aside>`)],
    ["after the article", `${article(linked)}<div class="wrapper"><ol>${entry}</ol></div>`],
    ["in the footer of the page", `${article(linked)}<footer><ol>${entry}</ol></footer>`],
    [
      "in a term of a list",
      `${article(linked)}<aside><dl><dt id="n1">1</dt><dd>The harbour master said it.</dd></dl></aside>`,
    ],
    [
      "after a small heading",
      `${article(linked)}<footer><h5><a id="n1" href="#r1">(1)</a></h5><p>The harbour master said it.</p></footer>`,
    ],
    ["after an empty anchor", `${article(linked)}<footer><p><a name="n1"></a>The harbour master said it.</p></footer>`],
    [
      "of a number without a link",
      `${article("<sup>1</sup>")}<div class="Post__footnotes"><h4>Footnotes</h4><ol><li>The harbour master said it.</li></ol></div>`,
    ],
    [
      "of a paragraph that begins with its number",
      `${article("<sup>1</sup>")}<div class="endnotes"><p><sup>1</sup> The harbour master said it.</p></div>`,
    ],
    [
      "beside the text",
      article("<sup>3</sup>", '<aside><ol start="3"><li>The harbour master said it.</li></ol></aside>'),
    ],
    [
      "that a click shows",
      article(
        '<span class="inline-footnote">1<span class="footnoteContent" style="display: none">The harbour master said it.</span></span>',
      ),
    ],
    [
      "that a click shows elsewhere",
      article(
        '<span data-definition="n1"><a href="#">*</a></span>',
        '<aside class="fna-content" id="n1" style="display: none">The harbour master said it.</aside>',
      ),
    ],
    [
      "of a word processor",
      article('<a href="#_ftn1">[1]</a>', '<p><a href="//6CB562CC#_ftnref1">[1]</a> The harbour master said it.</p>'),
    ],
  ])("%s", (_name, body) => {
    const html = lessOf(body);
    expect(html.split("The harbour master said it.")).toHaveLength(2);
    const [, id] = /<a href="#(text-[^"]+)"/.exec(html) ?? [];
    expect(html).toContain(` id="${id}"`);
    expect(html.indexOf(` id="${id}"`)).toBeLessThan(html.indexOf("The harbour master said it."));
  });
});

test("the target of a word's link is not a note, and a note without a link to it is not added", () => {
  const menu = '<nav><a href="#n1">Contact</a></nav>';
  expect(lessOf(`${menu}${article("")}<footer><ol>${entry}</ol></footer>`)).not.toContain("harbour master said");
  expect(lessOf(`${article("")}<footer><ol>${entry}</ol></footer>`)).not.toContain("harbour master said");
});

test("a note stays where the article shows it", () => {
  const html = lessOf(
    article(linked, `<section><ol>${entry}</ol></section><p>The very last line of the story ends it.</p>`),
  );
  expect(html).toMatch(/harbour master said it[\s\S]*very last line/);
});

test("a note whose number is a line of its own is shown once, with its number", () => {
  const word =
    '<p>It was said<a id="footnote-anchor-1" href="#footnote-1">1</a> by the harbour master, on a Monday.</p>';
  const note =
    '<div class="footnote"><a id="footnote-1" href="#footnote-anchor-1">1</a><div><p>At noon, in the old tower of the harbour.</p></div></div>';
  const html = lessOf(article(word, note));
  expect(html.split("At noon, in the old tower")).toHaveLength(2);
  expect(html).toMatch(/>1<\/a>[\s\S]*>1<\/a>[\s\S]*At noon/);
});
