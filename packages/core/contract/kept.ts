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
      .meta({ description: "`waiting`: the page will be read, perhaps again; `failed`: it could not be read." }),
    error: answered
      .string()
      .meta({ description: "Why the last attempt failed, such as `answers with status 404`; may be empty." }),
    words: answered.string().meta({ description: "Number of words in the saved text; empty if unknown." }),
    excerpt: answered.string().meta({ description: "The beginning of the text, about 200 characters." }),
    image: answered.string().meta({ description: "URL of its lead image; may be empty." }),
    time_updated: answered.string().meta({ description: "Unix time of the last change to these fields." }),
  })
  .meta({ id: "KeptPage", description: "Whether a page has a saved copy.", xml: { name: "item" } });

export const kept = {
  name: "kept",
  section: "4.16",
  summary: "Show which pages have saved copies, and why others do not",
  description:
    "After a page is saved, the service reads it in the background and saves a copy of its text. This endpoint shows the progress, newest change first. `auto` turns saving in the background on or off; `retry=1` tries failed pages again. To sync, store the returned `since` and pass it to the next call, which returns every later change exactly once. This endpoint is on the text host.",
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
      status: z.enum(["1", "2"]).meta({ description: "`2` if nothing has changed after `since`; otherwise `1`." }),
      since: answered.string().meta({ description: "Unix time of this response; pass it as `since` next time." }),
      complete: z.literal("1").optional().meta({
        description: "`1` if `list` has all pages: discard local pages that are not in it. Otherwise absent.",
      }),
      auto: z.enum(["0", "1"]).meta({ description: "`1` if copies are saved in the background, otherwise `0`." }),
      stopped: z.enum(["", "quota_full", "day_full"]).meta({
        description: "Why the service reads no page now: the quota or the daily limit of 500 pages is reached.",
      }),
      count_kept: answered.string().meta({ description: "Number of pages with a saved copy." }),
      count_waiting: answered.string().meta({ description: "Number of pages that will be read." }),
      count_failed: answered.string().meta({ description: "Number of pages that could not be read." }),
      bytes: answered.string().meta({ description: "Bytes of the texts as stored, including those in the trash." }),
      quota: answered.string().meta({ description: "Maximum of these bytes." }),
      picture_bytes: answered.string().meta({ description: "Bytes of saved pictures." }),
      picture_quota: answered.string().meta({ description: "Maximum of these bytes; `0`: pictures are not saved." }),
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
    auto: setting("`1`: save copies in the background; `0`: do not."),
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
