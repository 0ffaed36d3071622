// SPDX-License-Identifier: MIT

import * as answered from "./answered.ts";
import * as z from "./bounded.ts";
import { type EndpointContract, userFields } from "./endpoint.ts";
import {
  format,
  page,
  searchCount,
  searchPrefix,
  searchQuery,
  searchSort,
  searchState,
  searchWords,
} from "./fields.ts";
import { item } from "./get.ts";

const foundItem = item
  .extend({
    snippet: answered.string().meta({ description: "Plain text around the matches; may be empty." }),
    marks: answered
      .array(answered.tuple([z.int(), z.int()]))
      .meta({ description: "Positions of the matches in `snippet`: start and length, in UTF-16 units." }),
  })
  .meta({ id: "FoundItem", description: "A matching page.", xml: { name: "item" } });

export const search = {
  name: "search",
  section: "4.15",
  summary: "Search the whole text of all pages",
  description:
    'Finds pages by title, URL, tags, author, saved text, highlights and notes: words, `"phrases"`, `-without`, `tag:`, `site:`, `is:unread`, `is:read`, `is:archived`, `is:starred` and `added:2025-01..2025-06`. Search ignores accents and case; Chinese, Japanese and Korean match by substring.',
  tag: "list",
  host: "main",
  caller: "user",
  list: "search",
  articles: "read",
  changes: false,
  adds: false,
  methods: ["POST"],
  counted: true,
  answer: {
    kind: "fields",
    fields: z.object({
      status: answered.literal(["1", 1]).meta({ description: "Always `1`; a JSON number without `query`." }),
      as_of: answered.string().optional().meta({
        description: "With `query`: Unix time up to which all changes to the list were searched.",
      }),
      total: z
        .union([answered.string(), z.int()])
        .meta({ description: "Number of matching pages; without `query`, a JSON number." }),
      partial: answered.literal("1").optional().meta({
        description: "Pages may be missing, because the list is still being indexed; otherwise absent. See `X-Notice`.",
      }),
      list: z.union([answered.array(foundItem), answered.record(answered.string(), item)]).meta({
        description: "The pages in order, with their tags; without `query`, items by item_id.",
      }),
    }),
  },
  input: z
    .object({
      ...userFields,
      format,
      query: searchQuery,
      state: searchState,
      search: searchWords,
      prefix: searchPrefix,
      sort: searchSort,
      count: searchCount,
      page,
    })
    .refine(({ query, state }) => query !== undefined || state !== undefined, { path: ["query"], error: "is missing" })
    .refine(({ query, sort = "best" }) => query === undefined || sort === "best" || sort === "newest", {
      path: ["sort"],
      error: "must be best or newest",
    }),
  example: {
    parameters: { query: "first" },
    mistake: { change: { sort: "oldest" }, error: "sort must be best or newest" },
    json: { status: "1", as_of: "1700000000", total: "0", list: [] },
    xml: '<?xml version="1.0" encoding="UTF-8"?><response><status>1</status><as_of>1700000000</as_of><total>0</total><list/></response>',
  },
} as const satisfies EndpointContract;
