import * as z from "zod";
import { type EndpointContract, userFields } from "./endpoint.ts";
import { count, flag, format, page, since, state } from "./fields.ts";

const item = z.object({
  item_id: z.string().meta({ description: "Unique id of the URL, a positive 64-bit integer." }),
  url: z.string(),
  title: z.string(),
  time_updated: z.string().meta({ description: "Unix time at which the item was last added or changed." }),
  time_added: z.string().meta({ description: "Unix time at which the item was first added." }),
  tags: z.string().optional().meta({ description: "Comma-separated; only with `tags=1`." }),
  state: z.enum(["0", "1"]).meta({ description: "`0` unread, `1` read." }),
});

export const get = {
  name: "get",
  section: "4.4",
  summary: "Retrieve the list, newest change first; with `since`, only what changed.",
  host: "main",
  caller: "user",
  counted: true,
  answer: {
    kind: "fields",
    fields: z.object({
      status: z.enum(["1", "2"]).meta({ description: "`1` normal, `2` no changes since `since`." }),
      since: z.string().meta({ description: "Unix time of this response; pass it as `since` next time." }),
      list: z.record(z.string(), item).meta({ description: "Items by item_id, in order." }),
    }),
  },
  input: z.object({
    ...userFields,
    format,
    state,
    myAppOnly: flag("`1`: only items first saved through this application."),
    since,
    count,
    page,
    tags: flag("`1`: include tags with items."),
  }),
} as const satisfies EndpointContract;
