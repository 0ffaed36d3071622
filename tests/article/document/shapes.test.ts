// SPDX-License-Identifier: MIT

import { viewPage } from "@reading-list/article/view/text-view.ts";
import { describe, expect, test } from "vitest";

const prose = (name: string) =>
  [1, 2, 3, 4]
    .map(
      (n) =>
        `<p>${name} ${n} describes the mill by the river. Three families have kept its wheel turning since the first records of the village.</p>`,
    )
    .join("");
const view = (middle: string) =>
  viewPage(
    `<!doctype html><html lang="en"><head><title>A story</title></head><body><main><article><h1>A story</h1>${prose("Paragraph")}${middle}${prose("Passage")}</article></main></body></html>`,
    "https://example.com/story",
    { mode: "less", images: true },
  ).html;

const code = ["def f(x):", "  return x", "print(f(1))"];
const listing = /<pre>(?:<code>)?def f\(x\):\n {2}return x\nprint\(f\(1\)\)\s*(?:<\/code>)?<\/pre>/;
const lines = (line: (text: string, number: number) => string, between = "") =>
  code.map((text, index) => line(text, index + 1)).join(between);
const hard = (text: string) => text.replaceAll("  ", "&nbsp;&nbsp;");

test.each(
  Object.entries({
    "a number in each line": `<pre><code>${lines((t, n) => `<span class="line"><span class="ln">${n}</span><span class="cl">${t}\n</span></span>`)}</code></pre>`,
    "a number before each line": `<pre>${lines((t, n) => `<span class="linenos">${n}</span>${t}`, "\n")}</pre>`,
    "a column of numbers": `<div class="cm-editor"><div class="cm-gutters"><div class="cm-gutter">${lines((_, n) => `<div>${n}</div>`)}</div></div><div class="cm-content">${lines((t) => `<div class="cm-line">${t}</div>`)}</div></div>`,
    "boxes of an editor": `<div class="enlighter">${lines((t) => `<div><div><span>${t}</span></div></div>`)}</div>`,
    "a numbered list": `<pre class="linenums"><ol class="linenums">${lines((t) => `<li><span>${hard(t)}</span></li>`)}</ol></pre>`,
    "a font by name": `<font face="Courier New">${lines(hard, "<br>\n")}</font>`,
    "a font by style": `<div style="font-family: monospace">${lines((t) => `<div>${hard(t)}</div>`)}</div>`,
    "a font and white space": `<div style="white-space: pre-wrap; font-family: monospace">${code.join("\n")}</div>`,
    "the element tt": `<tt>${lines(hard, "<br>\n")}</tt>`,
    "the element xmp": `<xmp>${code.join("\n")}</xmp>`,
    "lines by style": `<pre><code>${lines((t, n) => `<span style="display:flex"><span class="linenumber">${n}</span><span>${t}</span></span>`)}</code></pre>`,
  }),
)("lines of code are one listing: %s", (_, shape) => expect(view(shape)).toMatch(listing));

test("verse whose white space the page shows keeps its lines", () =>
  expect(view(`<div style="white-space: pre-line">The mill is old\nThe wheel is slow</div>`)).toMatch(
    /The mill is old<br \/>\s*The wheel is slow/,
  ));

test("text in an element of Word stays in its sentence", () =>
  expect(view("<p>They lived in <st1:place>Holm</st1:place> for years, and left.</p>")).toContain(
    "They lived in Holm for years, and left.",
  ));

const picture = (name: string) => `<img src="/${name}.jpg" width="900" height="600" alt="">`;

describe("pictures", () => {
  test("a hidden slide is kept", () =>
    expect(
      view(
        `<div class="slider"><div>${picture("one")}</div><div style="display:none">${picture("two")}</div><div style="display:none">${picture("three")}</div></div>`,
      ),
    ).toMatch(/one\.jpg[\s\S]*two\.jpg[\s\S]*three\.jpg/));

  test("the label in a link to a larger picture is removed", () => {
    const html = view(`<p><a href="/large.jpg">${picture("small")}<span>900 × 600 pixels</span></a></p>`);
    expect(html).toContain("small.jpg");
    expect(html).not.toContain("pixels");
  });

  test("a picture is kept in a box with a caption and a name for other things", () =>
    expect(view(`<div class="related-share">${picture("kept")}<p class="caption">A mill</p></div>`)).toMatch(
      /kept\.jpg[\s\S]*A mill/,
    ));
});

test("headings beside links to share the section are kept", () => {
  const sections = ["Alpha", "Beta", "Gamma"].map(
    (name) =>
      `<div class="row"><h2>${name} part</h2><ul><li><a href="https://facebook.com/share">Facebook</a></li><li><a href="/x">X</a></li></ul></div>${prose(name)}`,
  );
  expect(view(sections.join("")).match(/<h2[^>]*>(?:Alpha|Beta|Gamma) part/g)).toHaveLength(3);
});

test("a notice about cookies without names is removed, and text with the word is not", () => {
  const notice =
    "<div><p>We use cookies and similar technologies to give you the best experience on our website and to measure it.</p><button>Accept all</button></div>";
  const html = view(`<p>The baker sells cookies on Sunday.</p>`).concat(
    viewPage(
      `<html lang="en"><title>A story</title><body>${notice}<h1>A story</h1>${prose("Paragraph")}${prose("Passage")}</body></html>`,
      "https://example.com/story",
      { mode: "less", images: false },
    ).html,
  );
  expect(html).toContain("The baker sells cookies");
  expect(html).not.toContain("similar technologies");
});
