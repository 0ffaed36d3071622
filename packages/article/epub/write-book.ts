// SPDX-License-Identifier: MIT

import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { escapeXml } from "@reading-list/core/domain/escape.ts";
import { toSite } from "@reading-list/core/domain/hosts.ts";
import type { Chapter } from "@reading-list/core/ports/pages.ts";
import { type AsyncZippable, zip } from "fflate";
import { chapterMarkup, strictUrl, validLanguage } from "./chapter-markup.ts";
import { coverImage } from "./cover.ts";
import type { BookImage } from "./images.ts";
import { writeAttributes } from "./xml.ts";

const style = `body { margin: 0 5%; line-height: 1.5 }
h1 { line-height: 1.2 } img { max-width: 100%; height: auto }
.source { font-size: 0.85em; color: #555 } .figure { margin: 1em 0; text-align: center } .figcaption, .image { font-size: 0.85em }
pre { white-space: pre-wrap; font-size: 0.85em } blockquote { margin: 1em 1.5em } table { border-collapse: collapse }
td, th { border: 1px solid #999; padding: 0.2em 0.4em; text-align: start } .cover { margin: 0; text-align: center } .cover img { height: 100% }`;

/** In place of a WebP image for readers of EPUB 3.2, which must have an image that they can show. */
const noWebp = {
  file: "no-webp.svg",
  content: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 9"><rect width="16" height="9" fill="#ddd"/></svg>',
};
const isWebp = ({ type }: BookImage) => type === "image/webp";

const chapterTitle = ({ title, url }: Chapter) => title.trim() || url;

/**
 * A book of articles as EPUB 3, with the table of contents of EPUB 2 for older readers. Its bytes depend only on the
 * articles. `now` in unix seconds; `isVerbatim`: see `PageReader.book`.
 */
export async function writeBook(
  chapters: readonly Chapter[],
  images: ReadonlyMap<string, BookImage>,
  { now, isVerbatim = false }: { now: number; isVerbatim?: boolean },
): Promise<Uint8Array> {
  const written = chapters.map((chapter, index) => ({
    ...chapter,
    name: `article-${index + 1}`,
    title: chapterTitle(chapter),
    ...chapterMarkup(chapter, (url) => images.get(url)?.file, isVerbatim),
  }));
  const [first] = written;
  if (!first) throw new Error("a book needs an article");
  const isSingle = written.length === 1;
  const date = new Date(1000 * now).toISOString();
  const sites = [...new Set(written.map(({ url }) => toSite({ url })))];
  const book = {
    title: isSingle ? first.title : `${written.length} articles, ${date.slice(0, 10)}`,
    site: sites.length > 3 ? `${sites.slice(0, 3).join(", ")}, …` : sites.join(", "),
    language: first.language ?? "und",
    direction: first.direction ?? ("ltr" as const),
    id: `urn:uuid:${toUuid(JSON.stringify(written.map(({ url, keptAt }) => [url, keptAt])))}`,
  };
  const page = (title: string, body: string, { language, direction }: Partial<typeof first> = {}, type = "") =>
    `<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE html>\n<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"${writeAttributes(
      { lang: language, "xml:lang": language, dir: direction },
    )}><head><title>${escapeXml(title)}</title><link rel="stylesheet" type="text/css" href="style.css"/></head><body${type}>${body}</body></html>`;
  const links = written.map(({ name, title }) => `<li><a href="${name}.xhtml">${escapeXml(title)}</a></li>`).join("");
  const nav = `<nav epub:type="toc" id="toc"><h1>${escapeXml(book.title)}</h1><ol>${links}</ol></nav>`;
  const whole = {
    language: validLanguage(book.language === "und" ? undefined : book.language),
    direction: book.direction,
  };
  const cover = `<div class="cover"><img src="cover.svg" alt="${escapeXml(`${book.title}, ${book.site}`)}"/></div>`;
  const files: Record<string, string> = {
    "META-INF/container.xml":
      '<?xml version="1.0" encoding="UTF-8"?>\n<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="book/package.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
    "book/style.css": style,
    "book/cover.svg": coverImage(book.title, book.site, book.direction),
    ...(!isVerbatim && { "book/cover.xhtml": page(book.title, cover, whole, ' epub:type="cover"') }),
    "book/nav.xhtml": page(book.title, nav, whole),
    "book/toc.ncx": writeNcx(book, written),
    "book/package.opf": writePackage(book, written, [...images.values()], { date, isVerbatim }),
  };
  for (const chapter of written) {
    files[`book/${chapter.name}.xhtml`] = page(chapter.title, writeBody(chapter), chapter);
  }
  if ([...images.values()].some(isWebp)) files[`book/${noWebp.file}`] = noWebp.content;
  const zipped: AsyncZippable = { mimetype: [Buffer.from("application/epub+zip"), { level: 0 }] };
  for (const [name, text] of Object.entries(files)) zipped[name] = Buffer.from(text);
  for (const { file, content } of images.values()) zipped[`book/${file}`] = [content, { level: 0 }];
  // A zip file has no time before 1980.
  return promisify<AsyncZippable, { mtime: Date }, Uint8Array>(zip)(zipped, { mtime: new Date("1980-01-02") });
}

type Book = Record<"title" | "site" | "language" | "id", string> & { direction: "ltr" | "rtl" };
type Written = Chapter & { name: string; xhtml: string };

function writeBody({ title, url, author, publishedAt, xhtml }: Written): string {
  const href = strictUrl(url);
  const site = href ? `<a href="${escapeXml(href)}">${escapeXml(toSite({ url }))}</a>` : escapeXml(toSite({ url }));
  const source = [site, ...[author, publishedAt?.slice(0, 10)].flatMap((text) => (text ? escapeXml(text) : []))];
  return `<h1>${escapeXml(title)}</h1><p class="source">${source.join(" · ")}</p>${xhtml}`;
}

function writePackage(
  book: Book,
  chapters: readonly Written[],
  images: readonly BookImage[],
  { date, isVerbatim }: { date: string; isVerbatim: boolean },
): string {
  const creators = [...new Set(chapters.flatMap(({ author }) => author || []))];
  const sources = chapters.length === 1 ? chapters : [];
  const metadata = [
    `<dc:identifier id="id">${book.id}</dc:identifier><dc:title>${escapeXml(book.title)}</dc:title><dc:language>${book.language}</dc:language>`,
    ...creators.map((author) => `<dc:creator>${escapeXml(author)}</dc:creator>`),
    ...sources.map(({ url }) => `<dc:source>${escapeXml(url)}</dc:source>`),
    ...sources.flatMap(({ publishedAt }) => (publishedAt ? `<dc:date>${escapeXml(publishedAt)}</dc:date>` : [])),
    `<dc:publisher>${escapeXml(book.site)}</dc:publisher><meta property="dcterms:modified">${date.slice(0, 19)}Z</meta>`,
    '<meta name="cover" content="cover-image"/>',
  ];
  const item = (id: string, href: string, type: string, others: { properties?: string; fallback?: string } = {}) =>
    `<item${writeAttributes({ id, href, "media-type": type, ...others })}/>`;
  const xhtml = "application/xhtml+xml";
  const manifest = [
    item("nav", "nav.xhtml", xhtml, { properties: "nav" }),
    item("ncx", "toc.ncx", "application/x-dtbncx+xml"),
    item("style", "style.css", "text/css"),
    item("cover-image", "cover.svg", "image/svg+xml", { properties: "cover-image" }),
    ...(isVerbatim ? [] : [item("cover", "cover.xhtml", xhtml)]),
    ...chapters.map(({ name, xhtml: markup }) =>
      item(name, `${name}.xhtml`, xhtml, markup.includes("<math ") ? { properties: "mathml" } : {}),
    ),
    ...images.map((image, index) =>
      item(`image-${index + 1}`, image.file, image.type, isWebp(image) ? { fallback: "no-webp" } : {}),
    ),
    ...(images.some(isWebp) ? [item("no-webp", noWebp.file, "image/svg+xml")] : []),
  ];
  const contents = chapters.length === 1 ? [] : ["nav"];
  const spine = [...(isVerbatim ? [] : ["cover"]), ...contents, ...chapters.map(({ name }) => name)].map(
    (name) => `<itemref idref="${name}"/>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">${metadata.join("")}</metadata><manifest>${manifest.join("")}</manifest><spine toc="ncx" page-progression-direction="${book.direction}">${spine.join("")}</spine></package>`;
}

function writeNcx(book: Book, chapters: readonly Written[]): string {
  const points = chapters.map(
    ({ name, title }, index) =>
      `<navPoint id="${name}" playOrder="${index + 1}"><navLabel><text>${escapeXml(title)}</text></navLabel><content src="${name}.xhtml"/></navPoint>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/" version="2005-1"><head><meta name="dtb:uid" content="${book.id}"/></head><docTitle><text>${escapeXml(book.title)}</text></docTitle><navMap>${points.join("")}</navMap></ncx>`;
}

/** A UUID (version 8) of a text. */
function toUuid(text: string): string {
  const hex = createHash("sha256").update(text).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
