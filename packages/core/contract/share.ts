// SPDX-License-Identifier: MIT

import * as answered from "./answered.ts";
import * as z from "./bounded.ts";
import { type EndpointContract, userFields } from "./endpoint.ts";
import { format, newShare, shareId, sharesToReopen, shareTag } from "./fields.ts";

const listed = z
  .object({
    id: answered.string().meta({ description: "Its id, for `revoke`, `reopen` and `move`." }),
    address: answered.string().meta({ description: "The public address." }),
    url: answered.string().optional().meta({ description: "The shared page." }),
    tag: answered.string().optional().meta({ description: "The shared tag." }),
    state: z.enum(["open", "unconfirmed", "expired", "unavailable"]).meta({
      description:
        "`open`; `unconfirmed`: switched off since a backup was restored, until `reopen`; `expired`; `unavailable`: the page is in the trash, or no saved copy is left.",
    }),
    expires: answered.string().meta({ description: "Unix time from which it is 404; `0` for never." }),
    time_created: answered.string().meta({ description: "Unix time at which it was created." }),
  })
  .meta({ id: "Share", description: "A public address of an article or of a tag.", xml: { name: "item" } });

const commands = ["create", "revoke", "reopen", "move"] as const;

export const share = {
  name: "share",
  section: "4.17",
  summary: "Share an article or a tag",
  description:
    "Makes, lists and revokes public addresses that show one kept article, or the newest pages of a tag, to everybody who has them. Pages that get the tag later are shown, too. 403 unless the operator has turned sharing on (`SHARING`).",
  tag: "list",
  host: "main",
  caller: "user",
  list: "share",
  articles: "read",
  methods: ["POST"],
  changes: true,
  adds: ["create"],
  counted: true,
  answer: {
    kind: "fields",
    fields: z.object({
      status: z.literal("1").meta({ description: "`1` normal." }),
      id: answered.string().optional().meta({ description: "With `create`: its id." }),
      address: answered.string().optional().meta({ description: "With `create`: the public address." }),
      list: answered.record(answered.string(), listed).optional().meta({ description: "Shares by id, oldest first." }),
    }),
    orStatus: true,
  },
  input: z
    .object({
      ...userFields,
      format,
      create: newShare,
      revoke: shareId("Ends the share of this id."),
      reopen: sharesToReopen,
      move: shareId("Lets the share of this id show another tag, at the same address."),
      tag: shareTag.optional().meta({ description: "With `move`: the tag that it shows from now on." }),
    })
    .refine((input) => commands.filter((name) => input[name] !== undefined).length <= 1, {
      path: [`${commands.slice(0, -1).join(", ")} and ${commands.at(-1)}`],
      error: "exclude each other",
    })
    .refine(({ move, tag }) => (move === undefined) === (tag === undefined), {
      path: ["move and tag"],
      error: "need each other",
    }),
  example: {
    parameters: {},
    mistake: { change: { create: "{}" }, error: "create needs url or tag" },
    json: { status: "1", list: {} },
    xml: '<?xml version="1.0" encoding="UTF-8"?><response><status>1</status><list/></response>',
  },
} as const satisfies EndpointContract;
