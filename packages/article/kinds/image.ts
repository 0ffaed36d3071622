// SPDX-License-Identifier: MIT

import { escapeHtml, escapeText } from "@reading-list/core/domain/escape.ts";
import { limitMarks } from "../document/combining-marks.ts";
import { decodeUrlPart } from "../document/link-target.ts";
import { sanitize } from "../view/sanitize.ts";
import type { PageView } from "../view/text-view.ts";

/** The view of an image: the image, described by the name of its file, which is a link to it. */
export function viewImage(url: string, { images }: { images: boolean }): PageView {
  const name = limitMarks(readFileName(url));
  const title =
    name
      .replace(/\.\w{2,5}$/, "")
      .replace(/[-_+\s]+/g, " ")
      .trim() || name;
  const image = `<img src="${escapeHtml(url)}" alt="${escapeHtml(title)}">`;
  const caption = `<figcaption><a href="${escapeHtml(url)}">${escapeText(name)}</a></figcaption>`;
  return {
    html: sanitize(`<figure>${images ? image : ""}${caption}</figure>`, { baseUrl: url, images }),
    title,
    nextUrl: undefined,
    loginFound: false,
    imageUrl: url,
  };
}

/** The decoded name of the file of a URL; the host if it has none. */
export function readFileName(url: string): string {
  const { pathname, hostname } = new URL(url);
  return decodeUrlPart(pathname.split("/").filter(Boolean).at(-1) ?? hostname);
}
