import { viewPlainText } from "./plain-text.ts";
import type { PageView, ViewOptions } from "./text-view.ts";

/**
 * The view of a page that could not be parsed in time: empty in `less`, the text between the tags in `more`. It makes one
 * pass over at most 512 KB, so its cost is linear on any page.
 */
export function viewUnparsed(html: string, mode: ViewOptions["mode"]): PageView {
  const source = html.slice(0, maxLength);
  const title = /<title[^<>]{0,1000}>([^<]{0,1000})/i.exec(source)?.[1]?.replace(/\s+/g, " ").trim() ?? "";
  const view = viewPlainText(mode === "less" ? "" : textOf(source));
  return { ...view, title };
}

const maxLength = 512 * 1024;
const skipped = ["script", "style", "noscript", "template", "svg"];

/** The text between the tags, without the content of `skipped` elements. */
function textOf(source: string): string {
  const parts: string[] = [];
  const lower = source.toLowerCase();
  let position = 0;
  while (position < source.length) {
    const open = source.indexOf("<", position);
    if (open < 0) break;
    parts.push(source.slice(position, open));
    const element = skipped.find((name) => lower.startsWith(name, open + 1));
    const start = element === undefined ? open : lower.indexOf(`</${element}`, open);
    const close = start < 0 ? -1 : source.indexOf(">", start);
    if (close < 0) return parts.join("\n");
    position = close + 1;
  }
  parts.push(source.slice(position));
  return parts
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .join("\n\n");
}
