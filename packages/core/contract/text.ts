// SPDX-License-Identifier: MIT

import * as z from "./bounded.ts";
import { applicationFields, type EndpointContract } from "./endpoint.ts";
import { flag, mode, webUrl } from "./fields.ts";

/** The article of `examplePage`. */
export const exampleParagraph =
  "The harbour, which had been closed since the storm, was opened again on Monday morning; fishermen, traders and the " +
  "mayor of the town were there, and all of them agreed that it had taken too long.";

/** The page in the examples of `text` and `article`; a test serves it. */
export const examplePage =
  "<!doctype html><html><head><title>The harbour is open</title></head><body><nav><a href='/'>Home</a></nav>" +
  `<article><h1>The harbour is open</h1><p>${exampleParagraph}</p></article></body></html>`;

export const text = {
  name: "text",
  section: "4.7",
  summary: "Show the text of any page",
  description:
    "The body is a fragment of clean HTML, without scripts, styles and forms. It is empty if the page has no article in mode `less`. If the page cannot be fetched, the status is 400 and `X-Error` says why. This endpoint is on the text host.",
  tag: "text",
  host: "text",
  caller: "application",
  changes: false,
  adds: false,
  counted: true,
  answer: { kind: "html" },
  input: z.object({ ...applicationFields, url: webUrl, mode, images: flag("`1`: include images.") }),
  example: {
    parameters: { url: "https://example.com/articles/1" },
    mistake: { change: { url: undefined }, error: "url is missing" },
    html: `<div><article><p>${exampleParagraph}</p></article></div>`,
  },
} as const satisfies EndpointContract;
