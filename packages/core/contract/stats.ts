// SPDX-License-Identifier: MIT

import * as answered from "./answered.ts";
import * as z from "./bounded.ts";
import { type EndpointContract, userFields } from "./endpoint.ts";
import { flag, format } from "./fields.ts";

export const stats = {
  name: "stats",
  section: "4.3",
  summary: "Count the list",
  description: "Returns the number of all, unread and read items, and the time at which the account was created.",
  tag: "list",
  host: "main",
  caller: "user",
  changes: false,
  adds: false,
  counted: true,
  answer: {
    kind: "fields",
    fields: z.object({
      user_since: answered.string().meta({ description: "Unix time at which the account was created." }),
      count_list: answered.string().meta({ description: "Items in the list." }),
      count_unread: answered.string().meta({ description: "Unread items." }),
      count_read: answered.string().meta({ description: "Read items." }),
      articles: answered.string().optional().meta({ description: "Only with `articles=1`: number of saved copies." }),
      article_bytes: answered
        .string()
        .optional()
        .meta({ description: "Only with `articles=1`: their bytes as stored." }),
      article_quota: answered
        .string()
        .optional()
        .meta({ description: "Only with `articles=1`: maximum of these bytes." }),
    }),
  },
  input: z.object({ ...userFields, format, articles: flag("`1`: also count saved copies.") }),
  example: {
    parameters: {},
    mistake: { change: { format: "yaml" }, error: "format must be json or xml" },
    json: { user_since: "1700000000", count_list: "2", count_unread: "1", count_read: "1" },
    xml:
      '<?xml version="1.0" encoding="UTF-8"?><response><user_since>1700000000</user_since>' +
      "<count_list>2</count_list><count_unread>1</count_unread><count_read>1</count_read></response>",
  },
} as const satisfies EndpointContract;
