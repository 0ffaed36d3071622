import * as z from "zod";
import { type EndpointContract, userFields } from "./endpoint.ts";
import { refId, title, webUrl } from "./fields.ts";

export const add = {
  name: "add",
  section: "4.1",
  summary: "Save one page; a page that is in the list becomes unread and moves to the top.",
  host: "main",
  caller: "user",
  counted: true,
  answer: { kind: "words" },
  input: z.object({ ...userFields, url: webUrl, title: title.optional(), ref_id: refId.optional() }),
} as const satisfies EndpointContract;
