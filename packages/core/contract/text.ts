import * as z from "zod";
import { applicationFields, type EndpointContract } from "./endpoint.ts";
import { flag, mode, webUrl } from "./fields.ts";

export const text = {
  name: "text",
  section: "4.7",
  summary: "The text-only view of any page, as clean HTML.",
  host: "text",
  caller: "application",
  counted: true,
  answer: { kind: "html" },
  input: z.object({ ...applicationFields, url: webUrl, mode, images: flag("`1`: include images.") }),
} as const satisfies EndpointContract;
