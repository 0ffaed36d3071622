// SPDX-License-Identifier: MIT

import { escapeText } from "@reading-list/core/domain/escape.ts";

/** Plain text as paragraphs, with its lines and with links of its URLs. */
export const writeParagraphs = (text: string): string =>
  text
    .split(/\n\s*\n/)
    .filter((part) => part.trim() !== "")
    .map((part) => `<p>${linkUrls(escapeText(part.trim())).replaceAll("\n", "<br>")}</p>`)
    .join("");

const linkUrls = (escaped: string) =>
  escaped.replace(/https?:\/\/[^\s<>"]*[^\s<>".,;:!?)]/g, (url) => `<a href="${url}">${url}</a>`);
