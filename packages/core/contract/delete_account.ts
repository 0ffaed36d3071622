// SPDX-License-Identifier: MIT

import * as z from "./bounded.ts";
import { type EndpointContract, userFields } from "./endpoint.ts";
import { username } from "./fields.ts";

/** Days after which backups, and versions of deleted objects, no longer contain deleted data (docs/api.md 4.12). */
export const backupDays = 35;

export const delete_account = {
  name: "delete_account",
  section: "4.12",
  summary: "Delete the account",
  description:
    "Deletes the user and all of the user's data at once. Backups contain the data for another 35 days, but a restore leaves it out.",
  tag: "account",
  host: "main",
  caller: "user",
  account: "deletion",
  articles: "deleteAll",
  pictures: "deleteAll",
  methods: ["POST"],
  changes: true,
  adds: false,
  counted: true,
  answer: { kind: "status" },
  input: z
    .object({ ...userFields, confirm: username.meta({ description: "The username." }) })
    .refine(({ username: name, confirm }) => confirm === name, { path: ["confirm"], error: "must be the username" }),
  example: {
    parameters: { confirm: "ann" },
    mistake: { change: { confirm: "bob" }, error: "confirm must be the username" },
  },
} as const satisfies EndpointContract;
