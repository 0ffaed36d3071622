// SPDX-License-Identifier: MIT

import { execFile } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { chapterMarkup } from "@reading-list/article/epub/chapter-markup.ts";
import { createPageReader } from "@reading-list/article/page-reader.ts";
import type { Chapter, PageReader } from "@reading-list/core/ports.ts";
import { prose, servePages } from "@reading-list/testing/page-server.ts";
import { temporaryFolder } from "@reading-list/testing/temporary-folder.ts";
import { unzipSync } from "fflate";
import { expect, onTestFinished, test } from "vitest";
import { noCache } from "./no-cache.ts";

/** Debian's is a jar file. */
const epubcheck = "/usr/bin/epubcheck";
const hasEpubcheck = existsSync(epubcheck);
/** Halves the processor time of a run of seconds. */
const shortRun = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"];
if (!hasEpubcheck)
  console.warn("SKIPPED: epubcheck of books, as it is not installed; sh .ci/install-epubcheck installs it");

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

const webp = Buffer.from("UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAgA0JaQAA3AA/vv9UAA=", "base64");

/** Starts a server of images; a path without one is 404. */
const serveImages = (images: Record<string, Buffer>) =>
  servePages((request, response) => {
    const image = images[request.url ?? ""];
    if (image) response.writeHead(200, { "content-type": "image/png" }).end(image);
    else response.writeHead(404).end();
  });

async function bookOf(
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

const textOf = (files: Record<string, Uint8Array>, name: string) => Buffer.from(files[`book/${name}`] ?? "").toString();

/** Fragments as pages nest them, each by its fault. */
const faults = {
  "blocks in inline elements": "<em><div>x</div></em><a href='http://e.example/'><p>y</p></a><h2><div>z</div></h2>",
  "lists without entries": "<ul>text<p>x</p><ul><li>y</li></ul></ul><li>alone</li><ol start='x'></ol>",
  "definitions without terms": "<dl><dd>x</dd></dl><dl><dt><h2>x</h2></dt><dd>y</dd>text</dl><dt>alone</dt><dl></dl>",
  "tables of any shape":
    "<table><caption><p>x</p></caption><tr><td colspan='0' rowspan='x'>y</td></tr><thead><tr><th>z</th></tr></thead><tbody></tbody></table>",
  "an empty table": "<table></table><ul></ul>",
  "links that are no URLs":
    "<a href='http://e.example/a|b?[c]=^{d}#e#f'>x</a><a href='#nowhere'>y</a><a href='mailto:a b@c'>z</a><a href='http://e.example/%zz'>p</a>",
  "ids twice": "<p id='text-a b'>x</p><p id='text-ä'>y</p><p id='text-ä'>y</p><a href='#text-%C3%A4'>z</a>",
  "languages that are none": "<p lang='not a language' dir='up'>x</p><p lang='zh_Hant'>y</p><p lang='en-GB-oed'>z</p>",
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

test.skipIf(!hasEpubcheck)(
  "epubcheck accepts books of fragments with every fault of nesting",
  async () => {
    const origin = await serveImages({ "/picture.png": png, "/picture.webp": webp });
    const faulty = Object.entries(faults).map(([title, html]) => ({ title, html }));
    const arabic = { html: `<div lang="ar" dir="rtl"><p>نص</p></div>`, title: "عنوان" };
    const pictured = {
      html: `<p>x</p><figure><img src="${origin}/picture.png" alt="A picture"></figure><img src="${origin}/picture.webp">`,
    };
    const books = [
      [...faulty, pictured, { title: "", html: "", url: "http://e.example/a?b=c&d=[e]" }],
      [{ ...arabic, author: "A & B", publishedAt: "2026-05-01T10:00:00Z" }],
    ];
    const noted =
      '<section><div lang="en"><figure><img src="x"><figcaption>c</figcaption></figure><p><mark>a</mark><a id="highlight-1" href="#note-1" epub:type="noteref"><sup>1</sup></a> &amp; b<br></p></div></section>';
    const notes = '<hr><ol><li id="note-1" epub:type="footnote">A &lt;note&gt; <a href="#highlight-1">↩</a></li></ol>';
    const folder = temporaryFolder();
    const reports = [...books, [{ html: noted, notes }], [{ html: noted, notes }]].map(async (chapters, index, all) => {
      const file = path.join(folder, `${index}.epub`);
      writeFileSync(file, await bookOf(chapters, origin, { isVerbatim: index === all.length - 1 }));
      const { stdout, stderr } = await promisify(execFile)("java", [...shortRun, "-jar", epubcheck, file]);
      return stderr + stdout;
    });
    for (const report of await Promise.all(reports)) expect(report).toContain("No errors or warnings detected");
  },
  600_000,
);

test("a book has a cover of title and site, language, direction, contents, authors and images", async () => {
  const origin = await serveImages({ "/picture.png": png });
  const image = `<img src="${origin}/picture.png" alt="A picture">`;
  const epub = await bookOf(
    [
      {
        title: "First",
        url: "https://www.one.example/a",
        html: `<div lang="ar" dir="rtl"><p>نص</p>${image}</div>`,
        author: "Ann",
      },
      { title: "Second", url: "https://two.example/b", html: `<p>x</p>${image}` },
    ],
    origin,
  );
  const files = unzipSync(epub);
  expect(Object.keys(files)[0]).toBe("mimetype");
  const opf = textOf(files, "package.opf");
  expect(opf).toContain("<dc:title>2 articles, 2023-11-14</dc:title><dc:language>ar</dc:language>");
  expect(opf).toContain("<dc:creator>Ann</dc:creator>");
  expect(opf).toContain('page-progression-direction="rtl"');
  expect(textOf(files, "cover.svg")).toMatch(/>2 articles[\s\S]*>one\.example, two\.example</);
  for (const contents of ["nav.xhtml", "toc.ncx"]) expect(textOf(files, contents)).toMatch(/First[\s\S]*Second/);
  expect(textOf(files, "article-1.xhtml")).toMatch(/<html [^>]*lang="ar" xml:lang="ar" dir="rtl">/);
  expect(textOf(files, "article-1.xhtml")).toContain('<img src="image-1.png" alt="A picture"/>');
  expect(textOf(files, "article-2.xhtml")).toContain('<img src="image-1.png" alt="A picture"/>');
  expect(Buffer.from(files["book/image-1.png"] ?? "")).toEqual(png);
});

test("a formula is MathML, of which the contents of the book tell; one with wrong parts is its text", async () => {
  const files = unzipSync(
    await bookOf([
      { html: "<p><math><msup><mi>x</mi><mn>2</mn></msup></math></p>" },
      { html: "<p><math><msup><mi>x</mi></msup></math></p>" },
    ]),
  );
  expect(textOf(files, "article-1.xhtml")).toContain(
    '<p><math xmlns="http://www.w3.org/1998/Math/MathML"><msup><mi>x</mi><mn>2</mn></msup></math></p>',
  );
  expect(textOf(files, "article-2.xhtml")).toMatch(/<p>(?:<span>)+x(?:<\/span>)+<\/p>/);
  const opf = textOf(files, "package.opf");
  expect(opf).toMatch(/href="article-1.xhtml" [^>]*properties="mathml"/);
  expect(opf).not.toMatch(/href="article-2.xhtml" [^>]*properties=/);
});

test("a WebP image is in the book, with one that every reader shows in its place", async () => {
  const origin = await serveImages({ "/picture": webp });
  const files = unzipSync(await bookOf([{ html: `<p><img src="${origin}/picture" alt="A picture"></p>` }], origin));
  expect(Buffer.from(files["book/image-1.webp"] ?? "")).toEqual(webp);
  expect(textOf(files, "article-1.xhtml")).toContain('<img src="image-1.webp" alt="A picture"/>');
  const opf = textOf(files, "package.opf");
  expect(opf).toContain('href="image-1.webp" media-type="image/webp" fallback="no-webp"');
  expect(opf).toContain('<item id="no-webp" href="no-webp.svg" media-type="image/svg+xml"/>');
  expect(textOf(files, "no-webp.svg")).toContain("<svg");
});

test("an image is left out if it is too large, of another type, beyond the book's limit, or at a private address", async () => {
  const large = Buffer.concat([png, Buffer.alloc(2_000_000)]);
  const half = Buffer.concat([png, Buffer.alloc(60)]);
  const images = { "/large": large, "/avif": Buffer.from("\0\0\0\x1cftypavif"), "/1": half, "/2": half };
  const origin = await serveImages(images);
  const names = [
    ...Object.keys(images).map((name) => origin + name),
    "http://127.0.0.1:1/private",
    "http://169.254.169.254/",
  ];
  const html = names.map((src) => `<p><img src="${src}" alt="${src}"></p>`).join("");
  const files = unzipSync(await bookOf([{ html }], origin, { maxImageBytes: 200 }));
  expect(Object.keys(files).filter((name) => name.includes("image-"))).toEqual(["book/image-1.png"]);
  expect(textOf(files, "article-1.xhtml").match(/class="image"/g)).toHaveLength(names.length - 1);
});

test("a book has 100 images at most, of which two are asked of a host at once", async () => {
  let [asked, atOnce, most] = [0, 0, 0];
  const origin = await servePages(async (_, response) => {
    asked++;
    most = Math.max(most, ++atOnce);
    await new Promise((resolve) => setTimeout(resolve, 5));
    atOnce--;
    response.writeHead(200, { "content-type": "image/png" }).end(png);
  });
  const html = Array.from({ length: 120 }, (_, i) => `<p><img src="${origin}/${i}" alt="x"></p>`).join("");
  const files = unzipSync(await bookOf([{ html }], origin));
  expect(Object.keys(files).filter((name) => name.includes("image-"))).toHaveLength(100);
  expect([asked, most]).toEqual([100, 2]);
});

test.each(Object.entries(faults).slice(0, 4))("a chapter with %s keeps all its text", (_, html) => {
  const { xhtml } = chapterMarkup({ html }, () => undefined);
  const lettersOf = (markup: string) =>
    markup
      .replaceAll(/<[^>]*>/g, "")
      .replaceAll(/\s/g, "")
      .split("")
      .sort();
  expect(lettersOf(xhtml)).toEqual(lettersOf(html));
});
