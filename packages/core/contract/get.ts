// SPDX-License-Identifier: MIT

import * as answered from "./answered.ts";
import * as z from "./bounded.ts";
import { type EndpointContract, userFields } from "./endpoint.ts";
import { count, flag, format, page, since, state, webUrl } from "./fields.ts";

/** An item of a list, also as the element `<item>`. */
export const item = z
  .object({
    item_id: answered.string().meta({ description: "Id derived from the URL, a positive integer below 2^53." }),
    url: answered.string().meta({ description: "The URL, as the client first sent it." }),
    title: answered.string().meta({ description: "The title; the URL if no title was given." }),
    time_updated: answered.string().meta({ description: "Unix time at which the item was last added or changed." }),
    time_added: answered.string().meta({ description: "Unix time at which the item was first added." }),
    tags: answered.string().optional().meta({ description: "Comma-separated; only with `tags=1`." }),
    state: z.enum(["0", "1"]).meta({ description: "`0` unread, `1` read." }),
    progress: answered.string().optional().meta({
      description: "Percentage of the text that was read, 0 to 100; only with `progress=1`, if it is known.",
    }),
    anchor: answered
      .string()
      .optional()
      .meta({ description: "With `progress`: a quotation at the position; empty if unknown." }),
  })
  .meta({ id: "Item", description: "A saved page.", xml: { name: "item" } });

export const get = {
  name: "get",
  section: "4.4",
  summary: "Retrieve the list, or its changes",
  description:
    "The items, newest change first. To sync, store the returned `since` and pass it to the next call, which returns every later change exactly once. If `complete` is present, `list` is the whole list.",
  tag: "list",
  host: "main",
  caller: "user",
  list: "read",
  changes: false,
  adds: false,
  counted: true,
  answer: {
    kind: "fields",
    fields: z.object({
      status: z.enum(["1", "2"]).meta({
        description:
          "`2` if `since` was given and nothing in the list has changed after it, whatever the filters; otherwise `1`.",
      }),
      since: answered.string().meta({ description: "Unix time of this response; pass it as `since` next time." }),
      complete: z.literal("1").optional().meta({
        description: "`1` if `list` is the whole list: discard local items that are not in it. Otherwise absent.",
      }),
      highlights_updated: answered.string().optional().meta({
        description:
          "Only with `progress=1`: Unix time of the last change to highlights, or of the last deletion, restoration or purge of an item with highlights; `0` for none. If it is above the last `since` from `highlights`, call `highlights`.",
      }),
      list: answered.record(answered.string(), item).meta({ description: "Items by item_id, in order." }),
      deleted: answered
        .record(answered.string(), answered.string())
        .optional()
        .meta({ description: "Only with `deleted=1`: deletion times since `since`, by item_id." }),
    }),
  },
  input: z.object({
    ...userFields,
    format,
    url: webUrl.optional().meta({ description: "Only this item, in any spelling of its URL (2.5)." }),
    state,
    myAppOnly: flag("`1`: only items that were first saved with this application."),
    since,
    count,
    page,
    tags: flag("`1`: include tags with items."),
    progress: flag("`1`: include the reading progress of items."),
    deleted: flag("`1`: report deleted items in `deleted`; otherwise each is listed once more, as a read item."),
  }),
  example: {
    parameters: { since: "0", tags: "1" },
    mistake: { change: { count: "0" }, error: "count must be at least 1" },
    json: {
      status: "1",
      since: "1700000000",
      complete: "1",
      list: {
        "3397783598820896": {
          item_id: "3397783598820896",
          url: "https://example.com/articles/1",
          title: "An article",
          time_updated: "1700000000",
          time_added: "1700000000",
          tags: "news,harbour",
          state: "1",
        },
        "2844389885632653": {
          item_id: "2844389885632653",
          url: "https://example.org/",
          title: "Another page",
          time_updated: "1700000000",
          time_added: "1700000000",
          tags: "later",
          state: "0",
        },
      },
    },
    xml:
      '<?xml version="1.0" encoding="UTF-8"?><response><status>1</status><since>1700000000</since><complete>1</complete>' +
      "<list><item><item_id>3397783598820896</item_id><url>https://example.com/articles/1</url><title>An article</title>" +
      "<time_updated>1700000000</time_updated><time_added>1700000000</time_added><tags>news,harbour</tags><state>1</state></item>" +
      "<item><item_id>2844389885632653</item_id><url>https://example.org/</url><title>Another page</title>" +
      "<time_updated>1700000000</time_updated><time_added>1700000000</time_added><tags>later</tags><state>0</state></item>" +
      "</list></response>",
  },
} as const satisfies EndpointContract;
