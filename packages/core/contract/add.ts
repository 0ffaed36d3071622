// SPDX-License-Identifier: MIT

import * as z from "./bounded.ts";
import { type EndpointContract, userFields } from "./endpoint.ts";
import { clean, refId, tags, timeAdded, title, webUrl } from "./fields.ts";

export const add = {
  name: "add",
  section: "4.1",
  summary: "Save one page",
  description:
    "A page that is not in the list becomes a new, unread item. A page that is in the list becomes unread and moves to the top; `title`, `tags` and `ref_id` are replaced if you send them.",
  tag: "list",
  host: "main",
  caller: "user",
  list: "add",
  changes: true,
  adds: true,
  counted: true,
  answer: { kind: "status" },
  input: z.object({
    ...userFields,
    url: webUrl,
    title: title.optional(),
    tags: tags.optional(),
    ref_id: refId.optional(),
    time_added: timeAdded.optional(),
    clean,
  }),
  example: {
    parameters: { url: "https://example.com/articles/1", title: "An article", tags: "news,harbour" },
    mistake: { change: { url: "example.com" }, error: "url is not an http(s) URL" },
  },
} as const satisfies EndpointContract;
