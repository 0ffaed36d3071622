// SPDX-License-Identifier: MIT

import { createPageReader } from "@reading-list/article/page-reader.ts";
import type { Chapter, PageReader } from "@reading-list/core/ports/pages.ts";
import { prose, servePages } from "@reading-list/testing/page-server.ts";
import { onTestFinished } from "vitest";
import { noCache } from "./no-cache.ts";

export const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

export const webp = Buffer.from("UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAgA0JaQAA3AA/vv9UAA=", "base64");

/** Starts a server of images; a path without one is 404. */
export const serveImages = (images: Record<string, Buffer>) =>
  servePages((request, response) => {
    const image = images[request.url ?? ""];
    if (image) response.writeHead(200, { "content-type": "image/png" }).end(image);
    else response.writeHead(404).end();
  });

export async function bookOf(
  chapters: Partial<Chapter>[],
  origin = "http://127.0.0.1:9",
  options: Parameters<PageReader["book"]>[1] = {},
) {
  const reader = createPageReader({
    allowedOrigins: [origin],
    cache: noCache,
    clock: { now: () => 1_700_000_000_000 },
  });
  onTestFinished(() => reader.close());
  const whole = chapters.map((each) => ({ url: `${origin}/page`, title: "A title", html: prose, keptAt: 1, ...each }));
  return reader.book(whole, options);
}

/** Fragments as pages nest them, each by its fault. */
export const faults = {
  "blocks in inline elements": "<em><div>x</div></em><a href='http://e.example/'><p>y</p></a><h2><div>z</div></h2>",
  "lists without entries": "<ul>text<p>x</p><ul><li>y</li></ul></ul><li>alone</li><ol start='x'></ol>",
  "definitions without terms": "<dl><dd>x</dd></dl><dl><dt><h2>x</h2></dt><dd>y</dd>text</dl><dt>alone</dt><dl></dl>",
  "tables of any shape":
    "<table><caption><p>x</p></caption><tr><td colspan='0' rowspan='x'>y</td></tr><thead><tr><th>z</th></tr></thead><tbody></tbody></table>",
  "an empty table": "<table></table><ul></ul>",
  "links that are no URLs":
    "<a href='http://e.example/a|b?[c]=^{d}#e#f'>x</a><a href='#nowhere'>y</a><a href='mailto:a b@c'>z</a><a href='http://e.example/%zz'>p</a>",
  "ids twice": "<p id='text-a b'>x</p><p id='text-ä'>y</p><p id='text-ä'>y</p><a href='#text-%C3%A4'>z</a>",
  "invalid languages": "<p lang='not a language' dir='up'>x</p><p lang='zh_Hant'>y</p><p lang='en-GB-oed'>z</p>",
  "characters that XML forbids": "<p>\u0001\ufffe&amp;&lt;&#xD800;&nbsp;</p>",
  "ruby, and ruby without text":
    "<ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp></ruby><ruby><rt>x</rt></ruby><ruby>a<rb>b</rb><rtc>c</rtc></ruby>",
  "images without a file":
    "<p><img src='http://127.0.0.1:9/x.png' alt='An &lt;image&gt;'><img alt='x'></p><ul><img src='x' alt='y'></ul>",
  "elements of pages":
    "<main><header><hgroup><h1>x</h1></hgroup></header><details><summary>y</summary>z</details><figure><img src='x' alt='q'><figcaption>c</figcaption></figure><address><p>a</p></address><time datetime='yesterday'>t</time><bdo>b</bdo></main>",
  formulas:
    "<ul><math display='block'><mfrac linethickness='0.1em'><mi mathvariant='bold'>a</mi><mn>2</mn></mfrac><mo stretchy='perhaps' lspace='1em'>+</mo></math></ul><p><math><mtable><mtr><mtd columnspan='2'><mmultiscripts><mi>x</mi><mn>1</mn><mn>2</mn><mprescripts></mprescripts><mn>3</mn><mn>4</mn></mmultiscripts></mtd></mtr></mtable><mstyle displaystyle='true'><mspace width='1em'></mspace></mstyle></math></p>",
  "formulas with wrong parts":
    "<p><math>x</math><math></math><math><mfrac><mi>a</mi></mfrac></math><math><mtr></mtr></math><math><mtable><mi>x</mi></mtable></math><math><mi><b>x</b></mi></math><math><mmultiscripts><mi>x</mi><mi>y</mi></mmultiscripts></math><math><math><mi>x</mi></math></math><mi>alone</mi></p>",
  "deep formulas": `<math>${"<mrow>".repeat(120)}<mi>x</mi></math>`,
  "deep nesting": `${"<div><blockquote>".repeat(150)}x`,
  "nesting beyond the stack": `${"<div>".repeat(20_000)}x`,
};
