// SPDX-License-Identifier: MIT

import * as z from "./bounded.ts";
import { type EndpointContract, userFields } from "./endpoint.ts";
import { bookFormat, bookUrls, flag, keptImages, mode, pageHtml, webUrl } from "./fields.ts";
import { examplePage, exampleParagraph } from "./text.ts";

export const article = {
  name: "article",
  section: "4.9",
  summary: "Show a kept article",
  description:
    "The text view of a page of the user's list, as the service keeps it for the user, also if the page is gone. If none is kept, the page is read and its view kept. `format=epub` makes a book, with `urls` of several pages, in which highlights are marked, with their notes as footnotes. `X-Kept` is the time at which it was kept. With `images=kept` no other site is asked for a picture. This endpoint is on the text host.",
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
      url: webUrl.optional().meta({ description: "A page of the list, needed without `urls`; another one is 400." }),
      urls: bookUrls,
      format: bookFormat,
      mode,
      images: keptImages,
      refresh: flag("`1`: read the page again, and keep the new view. An empty view never replaces a kept one."),
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
