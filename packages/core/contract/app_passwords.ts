// SPDX-License-Identifier: MIT

import { signInScopes } from "../domain/sign-in.ts";
import * as answered from "./answered.ts";
import * as z from "./bounded.ts";
import { type EndpointContract, userFields } from "./endpoint.ts";
import { expires, format, scope, signInId, signInName } from "./fields.ts";

const signIn = z
  .object({
    id: answered.string().meta({ description: "Id, for `revoke`." }),
    name: answered.string().meta({ description: "Name given at creation." }),
    scope: z
      .enum(signInScopes)
      .meta({ description: "Its scope: `full`, `read`, `feed`, or `profile` for an OAuth app." }),
    expires: answered.string().meta({ description: "Unix time at which it expires; `0` for never." }),
    time_created: answered.string().meta({ description: "Unix time at which it was created." }),
    time_used: answered
      .string()
      .meta({ description: "Unix time of the start of the day of its last use; `0` for never." }),
  })
  .meta({ id: "AppPassword", description: "An app password, or the OAuth sign-in of an app.", xml: { name: "item" } });

export const app_passwords = {
  name: "app_passwords",
  section: "4.10",
  summary: "Create, list or revoke app passwords",
  description:
    "An app password belongs to one app or device. All endpoints accept it as `password`, except those that manage the account; `scope` and `expires` can limit it. `create` returns a new one, which is not shown again; with `revoke`, one stops working at once; without both, the answer lists all.",
  tag: "account",
  host: "main",
  caller: "user",
  account: "signIns",
  methods: ["POST"],
  changes: true,
  adds: false,
  counted: true,
  answer: {
    kind: "fields",
    fields: z.object({
      status: z.literal("1").meta({ description: "Always `1`." }),
      list: answered
        .record(answered.string(), signIn)
        .optional()
        .meta({ description: "App passwords by id, oldest first." }),
      id: answered.string().optional().meta({ description: "With `create`: its id." }),
      name: answered.string().optional().meta({ description: "With `create`: its name." }),
      password: answered
        .string()
        .optional()
        .meta({ description: "With `create`: the app password, 20 characters of a-z and 2-7." }),
    }),
    orStatus: true,
  },
  input: z
    .object({ ...userFields, format, create: signInName, scope, expires, revoke: signInId })
    .refine(({ create, revoke }) => create === undefined || revoke === undefined, {
      path: ["revoke"],
      error: "and create cannot be sent together",
    })
    .refine(({ create, scope }) => create !== undefined || scope === undefined, {
      path: ["scope"],
      error: "needs create",
    })
    .refine(({ create, expires }) => create !== undefined || expires === undefined, {
      path: ["expires"],
      error: "needs create",
    }),
  example: {
    parameters: {},
    mistake: { change: { create: "x".repeat(61) }, error: "create must be 1-60 characters" },
    json: { status: "1", list: {} },
    xml: '<?xml version="1.0" encoding="UTF-8"?><response><status>1</status><list/></response>',
  },
} as const satisfies EndpointContract;
