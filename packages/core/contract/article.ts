// SPDX-License-Identifier: MIT

import * as z from "./bounded.ts";
import { type EndpointContract, userFields } from "./endpoint.ts";
import { bookFormat, bookUrls, flag, keptImages, mode, pageHtml, webUrl } from "./fields.ts";
import { examplePage, exampleParagraph } from "./text.ts";

export const article = {
  name: "article",
  section: "4.9",
  summary: "Show a saved article",
  description:
    "The saved text view of a page in the user's list, even if the page itself is gone. If there is no saved copy yet, the service reads the page and saves one. `format=epub` makes a book, with `urls` of several pages, with highlights marked and their notes as footnotes. `X-Kept` is the time at which the copy was saved. With `images=kept`, pictures come from the service, never from other sites. This endpoint is on the text host.",
  tag: "text",
  host: "text",
  caller: "user",
  articles: "keep",
  pictures: "keep",
  highlights: "read",
  changes: ["html"],
  adds: ["html"],
  counted: true,
  methods: ["POST"],
  answer: { kind: "html", book: true },
  input: z
    .object({
      ...userFields,
      url: webUrl
        .optional()
        .meta({ description: "A page of the list; any other URL is 400. Required without `urls`." }),
      urls: bookUrls,
      format: bookFormat,
      mode,
      images: keptImages,
      refresh: flag("`1`: read the page again and replace the saved copy. An empty view never replaces one."),
      html: pageHtml,
    })
    .refine(({ url, urls }) => url !== undefined || urls !== undefined, { path: ["url"], error: "is missing" })
    .refine(
      ({ urls, format, html, refresh }) => urls === undefined || (format === "epub" && html === undefined && !refresh),
      {
        path: ["urls"],
        error: "needs format=epub, and cannot be combined with html or refresh",
      },
    ),
  example: {
    parameters: { url: "https://example.com/articles/1", html: examplePage },
    mistake: { change: { refresh: "yes" }, error: "refresh must be 0 or 1" },
    html: `<div><article><p>${exampleParagraph}</p></article></div>`,
  },
} as const satisfies EndpointContract;
