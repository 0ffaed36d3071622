import { textHeaders } from "@reading-list/core/contract/headers.ts";
import { text } from "@reading-list/core/contract/text.ts";
import { readPage } from "@reading-list/core/use-cases/read-page.ts";
import { defineEndpoint } from "../http/chain.ts";

export default defineEndpoint({
  contract: text,
  useCase: readPage,
  present: ({ html, title, resolvedUrl, nextUrl, loginFound }) => ({
    statusCode: 200,
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      // The fragment is harmless by itself; a browser that opens it as a page shall run nothing all the same.
      "Content-Security-Policy": "sandbox; default-src 'none'; img-src http: https:",
      "X-Content-Type-Options": "nosniff",
      [textHeaders.title]: titleLine(title),
      [textHeaders.resolved]: resolvedUrl,
      ...(nextUrl !== undefined && { [textHeaders.next]: nextUrl }),
      ...(loginFound && { [textHeaders.loginFound]: "1" }),
    },
    body: html,
  }),
});

/** A title as a header can carry it: as it is, or percent-encoded UTF-8 where it is more than plain ASCII. */
function titleLine(title: string): string {
  return /[^\x20-\x7e]|%/.test(title) ? encodeURIComponent(title) : title;
}
