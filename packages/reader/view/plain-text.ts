import { escapeText } from "../document/serialize.ts";
import type { PageView } from "./text-view.ts";

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
    html: blocks.map(blockMarkup).join("\n"),
    title: firstLine.length <= longestTitle ? firstLine : "",
    nextUrl: undefined,
    loginFound: false,
  };
}

const longestTitle = 120;
// biome-ignore lint/suspicious/noControlCharactersInRegex: removing control characters is its purpose
const notAllowedInHtml = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/g;
const laidOut = /^[ \t]{2,}|\S {3,}\S|\t/m;

function blockMarkup(block: string): string {
  const escaped = escapeText(block);
  return laidOut.test(block) ? `<pre>${escaped}</pre>` : `<p>${escaped.trim()}</p>`;
}
