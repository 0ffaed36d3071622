// SPDX-License-Identifier: MIT

import { textHeaders } from "@reading-list/core/contract/headers.ts";
import { toFileName } from "@reading-list/core/domain/page-fields.ts";
import type { TextView } from "@reading-list/core/domain/text-view.ts";
import type { Book } from "@reading-list/core/use-cases/articles/make-book.ts";
import { inert } from "./answer.ts";
import type { HttpAnswer } from "./call.ts";

/** Defence in depth: HTML of a page is sanitised, and a browser that opens it as a page must not run anything. */
export const sandboxed = {
  ...inert,
  "Content-Security-Policy": `${inert["Content-Security-Policy"]}; img-src http: https:`,
};

/** The text view of a page: a fragment of HTML, with its facts in headers (docs/api.md 4.7, 4.9). */
export const answerText = ({
  html,
  title,
  author,
  publishedAt,
  keptAt,
  notice,
  ...view
}: TextView & { keptAt?: number | undefined }): HttpAnswer => ({
  status: 200,
  headers: {
    "Content-Type": "text/html; charset=utf-8",
    ...sandboxed,
    [textHeaders.title]: encodeHeaderText(title, maxTitleLength),
    ...encodeUrlHeader(textHeaders.resolved, view.resolvedUrl, maxUrlLength),
    ...encodeUrlHeader(textHeaders.next, view.nextUrl, maxUrlLength),
    ...(view.loginFound && { [textHeaders.loginFound]: "1" }),
    ...encodeUrlHeader(textHeaders.image, view.imageUrl, maxImageUrlLength),
    ...(author && { [textHeaders.author]: encodeHeaderText(author, maxAuthorLength) }),
    ...(keptAt !== undefined && { [textHeaders.kept]: String(keptAt) }),
    ...(publishedAt && { [textHeaders.date]: publishedAt }),
    ...(notice && { [textHeaders.notice]: notice }),
  },
  body: html,
});

/** A book, with a name for the file. */
export const answerBook = ({ epub, title }: Book): HttpAnswer => ({
  status: 200,
  headers: {
    "Content-Type": "application/epub+zip",
    "Content-Disposition": `attachment; filename="book.epub"; filename*=UTF-8''${encodeFileName(title)}.epub`,
    "X-Content-Type-Options": "nosniff",
  },
  body: Buffer.from(epub),
});

/** A title as the name of a file, in the encoding of RFC 5987. */
const encodeFileName = (title: string) =>
  encodeURIComponent(toFileName(title, "book")).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16)}`,
  );

/** Maximum characters in a header: API Gateway takes 10,240 bytes of headers in all. */
const maxTitleLength = 2000;
const maxUrlLength = 2500;
const maxImageUrlLength = 1000;
const maxAuthorLength = 300;

/**
 * A text for a header: as it is, or percent-encoded UTF-8 if it has characters other than printable ASCII, or a `%`.
 * Truncated to `maxLength` characters.
 */
function encodeHeaderText(text: string, maxLength: number): string {
  const start = text.slice(0, maxLength).toWellFormed();
  if (!/[^\x20-\x7e]|%/.test(text)) return start;
  let line = "";
  for (const character of start) {
    const encoded = encodeURIComponent(character);
    if (line.length + encoded.length > maxLength) break;
    line += encoded;
  }
  return line;
}

const encodeUrlHeader = (name: string, url: string | undefined, maxLength: number) =>
  url !== undefined && url.length <= maxLength ? { [name]: url } : {};
