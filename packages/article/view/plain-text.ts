// SPDX-License-Identifier: MIT

import { escapeText } from "@reading-list/core/domain/escape.ts";
import { limitMarks } from "../document/combining-marks.ts";
import { isWithinLimit, type PageView, startWithinLimit } from "./text-view.ts";

/**
 * The view of a plain-text page: a paragraph for each block between blank lines, or a `<pre>` if spaces align the block.
 * The first line is the title unless it is longer than 120 characters.
 */
export function viewPlainText(text: string): PageView {
  const blocks = text
    .replace(/\r\n?/g, "\n")
    .replace(notAllowedInHtml, "")
    .split(/\n(?:[ \t]*\n)+/)
    .filter((block) => block.trim() !== "");
  const firstLine = blocks[0]?.trim().split("\n")[0]?.trim() ?? "";
  return {
    html: wholeBlocks(limitMarks(blocks.map(blockMarkup).join("\n"))),
    title: firstLine.length <= maxTitleLength ? limitMarks(firstLine) : "",
    nextUrl: undefined,
    loginFound: false,
  };
}

/** As many blocks as fit into a view. Text has no `<`, so one after a line break begins a block. */
function wholeBlocks(html: string): string {
  if (isWithinLimit(html)) return html;
  const start = startWithinLimit(html);
  return start.slice(0, start.lastIndexOf("\n<"));
}

const maxTitleLength = 120;
// biome-ignore lint/suspicious/noControlCharactersInRegex: removing control characters is its purpose
const notAllowedInHtml = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/g;
const laidOut = /^[ \t]{2,}|\S {3,}\S|\t/m;

function blockMarkup(block: string): string {
  const escaped = escapeText(block);
  return laidOut.test(block) ? `<pre>${escaped}</pre>` : `<p>${escaped.trim()}</p>`;
}
