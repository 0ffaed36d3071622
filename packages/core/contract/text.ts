import * as z from "zod";
import { applicationFields, type EndpointContract } from "./endpoint.ts";
import { flag, mode, webUrl } from "./fields.ts";

export const text = {
  name: "text",
  section: "4.7",
  summary: "Show the text of any page",
  description:
    "The body is a fragment of clean HTML, without scripts, styles and forms. It is empty if the page has no article in mode `less`. A page that cannot be fetched is 400, and `X-Error` says why. This endpoint is on the text host.",
  tag: "text",
  host: "text",
  caller: "application",
  counted: true,
  answer: { kind: "html" },
  input: z.object({ ...applicationFields, url: webUrl, mode, images: flag("`1`: include images.") }),
} as const satisfies EndpointContract;
