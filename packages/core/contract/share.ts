// SPDX-License-Identifier: MIT

import * as answered from "./answered.ts";
import * as z from "./bounded.ts";
import { type EndpointContract, userFields } from "./endpoint.ts";
import { format, newShare, sentTogether, shareId, sharesToReopen, shareTag } from "./fields.ts";

const listed = z
  .object({
    id: answered.string().meta({ description: "Id, for `revoke`, `reopen` and `move`." }),
    address: answered.string().meta({ description: "The public link." }),
    url: answered.string().optional().meta({ description: "The shared page." }),
    tag: answered.string().optional().meta({ description: "The shared tag." }),
    state: z.enum(["open", "unconfirmed", "expired", "unavailable"]).meta({
      description:
        "`open`; `unconfirmed`: off since a backup was restored, until `reopen`; `expired`; `unavailable`: the page is in the trash, or has no saved copy.",
    }),
    expires: answered.string().meta({ description: "Unix time at which the link expires; `0` for never." }),
    time_created: answered.string().meta({ description: "Unix time at which it was created." }),
  })
  .meta({ id: "Share", description: "A public link to an article or a tag.", xml: { name: "item" } });

const commands = ["create", "revoke", "reopen", "move"] as const;

export const share = {
  name: "share",
  section: "4.17",
  summary: "Share an article or a tag",
  description:
    "Creates, lists and revokes public links to a saved article or to the newest pages of a tag, including pages that get the tag later. Anyone with the link can open it. The answer is 403 unless the administrator has turned on sharing (`SHARING`).",
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
      status: z.literal("1").meta({ description: "Always `1`." }),
      id: answered.string().optional().meta({ description: "With `create`: its id." }),
      address: answered.string().optional().meta({ description: "With `create`: the public link." }),
      list: answered.record(answered.string(), listed).optional().meta({ description: "Shares by id, oldest first." }),
    }),
    orStatus: true,
  },
  input: z
    .object({
      ...userFields,
      format,
      create: newShare,
      revoke: shareId("Id of a share to end."),
      reopen: sharesToReopen,
      move: shareId("Id of a shared tag that should show another tag, at the same link."),
      tag: shareTag.optional().meta({ description: "With `move`: the new tag." }),
    })
    .refine((input) => commands.filter((name) => input[name] !== undefined).length <= 1, {
      path: [`${commands.slice(0, -1).join(", ")} and ${commands.at(-1)}`],
      error: "cannot be sent together",
    })
    .refine(...sentTogether("move", "tag")),
  example: {
    parameters: {},
    mistake: { change: { create: "{}" }, error: "create needs url or tag" },
    json: { status: "1", list: {} },
    xml: '<?xml version="1.0" encoding="UTF-8"?><response><status>1</status><list/></response>',
  },
} as const satisfies EndpointContract;
