import { textHeaders } from "@reading-list/core/contract/headers.ts";
import { text } from "@reading-list/core/contract/text.ts";
import { readPage } from "@reading-list/core/use-cases/read-page.ts";
import { defineEndpoint } from "../http/chain.ts";

export default defineEndpoint({
  contract: text,
  useCase: readPage,
  present: ({ html, title, resolvedUrl, nextUrl, loginFound, isKept }) => ({
    statusCode: 200,
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      // The fragment is harmless by itself; a browser that opens it as a page shall run nothing all the same.
      "Content-Security-Policy": "sandbox; default-src 'none'; img-src http: https:",
      "X-Content-Type-Options": "nosniff",
      [textHeaders.title]: titleLine(title),
      [textHeaders.cache]: isKept ? "hit" : "miss",
      ...urlHeader(textHeaders.resolved, resolvedUrl),
      ...urlHeader(textHeaders.next, nextUrl),
      ...(loginFound && { [textHeaders.loginFound]: "1" }),
    },
    body: html,
  }),
});

/** Characters of a title or URL in a header at most: API Gateway takes 10 KB of headers in all. */
const longestTitle = 2000;
const longestUrl = 3000;

/**
 * A title as a header can carry it: as it is, or percent-encoded UTF-8 where it is more than plain ASCII, and cut where
 * it is very long.
 */
function titleLine(title: string): string {
  const start = title.slice(0, longestTitle).toWellFormed();
  if (!/[^\x20-\x7e]|%/.test(title)) return start;
  let line = "";
  for (const character of start) {
    const encoded = encodeURIComponent(character);
    if (line.length + encoded.length > longestTitle) break;
    line += encoded;
  }
  return line;
}

const urlHeader = (name: string, url: string | undefined) =>
  url !== undefined && url.length <= longestUrl ? { [name]: url } : {};
