// SPDX-License-Identifier: MIT

import * as answered from "./answered.ts";
import * as z from "./bounded.ts";
import { type EndpointContract, userFields } from "./endpoint.ts";
import { count, format, page, purgedPages } from "./fields.ts";
import { item } from "./get.ts";

const trashedItem = item
  .extend({ time_deleted: answered.string().meta({ description: "Unix time at which it was deleted." }) })
  .meta({ id: "TrashedItem", description: "A deleted page that can be restored.", xml: { name: "item" } });

export const trash = {
  name: "trash",
  section: "4.13",
  summary: "List or purge deleted items",
  description:
    "Deleted items stay in the trash for 30 days; the parameter `restore` of `send` brings them back unchanged. With `purge`, items are erased for good; without it, they are listed, most recently deleted first.",
  tag: "list",
  host: "main",
  caller: "user",
  list: "trash",
  articles: "delete",
  pictures: "delete",
  methods: ["POST"],
  changes: ["purge"],
  adds: false,
  counted: true,
  answer: {
    kind: "fields",
    fields: z.object({
      status: z.literal("1").meta({ description: "Always `1`." }),
      list: answered
        .record(answered.string(), trashedItem)
        .meta({ description: "Items by item_id, with their tags, in order." }),
    }),
    orStatus: true,
  },
  input: z.object({ ...userFields, format, count, page, purge: purgedPages }),
  example: {
    parameters: {},
    mistake: { change: { purge: "everything" }, error: "purge must be all or a JSON array of URLs" },
    json: { status: "1", list: {} },
    xml: '<?xml version="1.0" encoding="UTF-8"?><response><status>1</status><list/></response>',
  },
} as const satisfies EndpointContract;
