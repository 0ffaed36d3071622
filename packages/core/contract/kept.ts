// SPDX-License-Identifier: MIT

import { keptStates } from "../domain/kept-page.ts";
import * as answered from "./answered.ts";
import * as z from "./bounded.ts";
import { type EndpointContract, userFields } from "./endpoint.ts";
import { count, format, page, setting, since } from "./fields.ts";

const keptPage = z
  .object({
    item_id: answered.string(),
    url: answered.string(),
    state: z
      .enum(keptStates)
      .meta({ description: "`waiting`: to be read, perhaps once more; `failed`: it could not be read." }),
    error: answered
      .string()
      .meta({ description: "Why the last try failed, such as `answers with status 404`; may be empty." }),
    words: answered.string().meta({ description: "Words of the kept text; empty if unknown." }),
    excerpt: answered.string().meta({ description: "The beginning of the text, some 200 characters." }),
    image: answered.string().meta({ description: "URL of its picture; may be empty." }),
    time_updated: answered.string().meta({ description: "Unix time of the last change of these fields." }),
  })
  .meta({ id: "KeptPage", description: "The state of a page whose text the service keeps.", xml: { name: "item" } });

export const kept = {
  name: "kept",
  section: "4.16",
  summary: "Show which pages are kept, and why others are not",
  description:
    "The service reads pages in the background after they were saved, and keeps their text views. This endpoint shows how far it is, newest change first. With `auto` keeping in the background is turned on or off, with `retry=1` failed pages are tried again. To sync, store the returned `since` and pass it to the next call, which then returns every later change once. This endpoint is on the text host.",
  tag: "text",
  host: "text",
  caller: "user",
  list: "kept",
  pictures: "count",
  methods: ["POST"],
  changes: ["auto", "retry"],
  adds: ["auto", "retry"],
  counted: true,
  answer: {
    kind: "fields",
    fields: z.object({
      status: z.enum(["1", "2"]).meta({ description: "`1` normal, `2` no changes since `since`." }),
      since: answered.string().meta({ description: "Unix time of this response; pass it as `since` next time." }),
      complete: z
        .literal("1")
        .optional()
        .meta({ description: "`1` if `list` has all pages: drop whatever is not in it. Else absent." }),
      auto: z.enum(["0", "1"]).meta({ description: "Whether pages are kept in the background." }),
      stopped: z
        .enum(["", "quota_full", "day_full"])
        .meta({ description: "Why no page is read now: the quota, or the 500 pages of the day, are used up." }),
      count_kept: answered.string().meta({ description: "Pages whose text is kept." }),
      count_waiting: answered.string().meta({ description: "Pages that are to be read." }),
      count_failed: answered.string().meta({ description: "Pages that could not be read." }),
      bytes: answered.string().meta({ description: "Bytes of the texts as stored, also of those in the trash." }),
      quota: answered.string().meta({ description: "Bytes that they may have." }),
      picture_bytes: answered.string().meta({ description: "The same of pictures." }),
      picture_quota: answered.string().meta({ description: "`0`: pictures are not kept." }),
      list: answered.record(answered.string(), keptPage).meta({ description: "Pages by item_id, in order." }),
    }),
    orStatus: true,
  },
  input: z.object({
    ...userFields,
    format,
    since,
    count,
    page,
    auto: setting("`1` or `0`: keep pages in the background, or not."),
    retry: setting("`1`: try failed pages again."),
  }),
  example: {
    parameters: {},
    mistake: { change: { auto: "yes" }, error: "auto must be 0 or 1" },
    json: {
      status: "1",
      since: "1700000000",
      complete: "1",
      auto: "1",
      stopped: "",
      count_kept: "0",
      count_waiting: "0",
      count_failed: "0",
      bytes: "0",
      quota: "1000000000",
      picture_bytes: "0",
      picture_quota: "2000000000",
      list: {},
    },
    xml:
      '<?xml version="1.0" encoding="UTF-8"?><response><status>1</status><since>1700000000</since><complete>1</complete><auto>1</auto><stopped/>' +
      "<count_kept>0</count_kept><count_waiting>0</count_waiting><count_failed>0</count_failed><bytes>0</bytes>" +
      "<quota>1000000000</quota><picture_bytes>0</picture_bytes><picture_quota>2000000000</picture_quota><list/></response>",
  },
} as const satisfies EndpointContract;
