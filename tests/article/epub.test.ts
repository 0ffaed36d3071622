// SPDX-License-Identifier: MIT

import { chapterMarkup } from "@reading-list/article/epub/chapter-markup.ts";
import { servePages } from "@reading-list/testing/page-server.ts";
import { unzipSync } from "fflate";
import { expect, test } from "vitest";
import { bookOf, faults, png, serveImages, webp } from "./books.ts";

const textOf = (files: Record<string, Uint8Array>, name: string) => Buffer.from(files[`book/${name}`] ?? "").toString();

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

test("a formula is MathML, and the contents of the book say so; a formula with wrong parts becomes its text", async () => {
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

test("a WebP image is in the book, with a fallback that every e-reader shows", async () => {
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

test("a book has 100 images at most, and requests two of a host at once", async () => {
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
  const toLetters = (markup: string) =>
    markup
      .replaceAll(/<[^>]*>/g, "")
      .replaceAll(/\s/g, "")
      .split("")
      .sort();
  expect(toLetters(xhtml)).toEqual(toLetters(html));
});
