import { escapeText } from "../document/serialize.ts";
import type { Thing } from "../document/structured-data.ts";

/** The markup of the longest `articleBody` in a page's JSON-LD. Some pages without visible text have one. */
export function structuredBody(things: readonly Thing[]): string {
  const bodies = things.map((thing) => thing.articleBody).filter((body) => typeof body === "string");
  const longest = bodies.reduce((best, body) => (body.length > best.length ? body : best), "");
  return longest
    .replace(/<[^<>]*>/g, "")
    .split(/\n\s*\n|\r\n\s*\r\n/)
    .map((paragraph) => paragraph.replace(/\s+/g, " ").trim())
    .filter((paragraph) => paragraph !== "")
    .map((paragraph) => `<p>${escapeText(paragraph)}</p>`)
    .join("\n");
}
