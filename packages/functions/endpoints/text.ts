import { textHeaders } from "@reading-list/core/contract/headers.ts";
import { text } from "@reading-list/core/contract/text.ts";
import { readPage } from "@reading-list/core/use-cases/read-page.ts";
import { defineEndpoint } from "../http/chain.ts";

export const endpoint = defineEndpoint({
  contract: text,
  useCase: readPage,
  present: ({ html, title, resolvedUrl, nextUrl, loginFound }) => ({
    statusCode: 200,
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      // Defence in depth: the fragment is sanitised, and a browser that opens it as a page must not run anything.
      "Content-Security-Policy": "sandbox; default-src 'none'; img-src http: https:",
      "X-Content-Type-Options": "nosniff",
      [textHeaders.title]: titleLine(title),
      ...urlHeader(textHeaders.resolved, resolvedUrl),
      ...urlHeader(textHeaders.next, nextUrl),
      ...(loginFound && { [textHeaders.loginFound]: "1" }),
    },
    body: html,
  }),
});

/** Maximum characters of a title or URL in a header: API Gateway takes 10,240 bytes of headers in all. */
const longestTitle = 2000;
const longestUrl = 3000;

/**
 * A title for a header: as it is, or percent-encoded UTF-8 if it has characters other than printable ASCII, or a `%`.
 * Truncated to 2,000 characters.
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
