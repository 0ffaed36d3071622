// SPDX-License-Identifier: MIT

import * as z from "./bounded.ts";
import { type EndpointContract, userFields } from "./endpoint.ts";
import { flag, password as passwordField } from "./fields.ts";

export const password = {
  name: "password",
  section: "4.11",
  summary: "Change the account's password",
  description: "App passwords keep working, unless you pass `revoke=1`.",
  tag: "account",
  host: "main",
  caller: "user",
  account: "password",
  methods: ["POST"],
  changes: true,
  adds: false,
  counted: true,
  answer: { kind: "status" },
  input: z.object({
    ...userFields,
    new_password: passwordField,
    revoke: flag("`1`: also revoke all app passwords."),
  }),
  example: {
    parameters: { new_password: "another secret" },
    mistake: { change: { new_password: undefined }, error: "new_password is missing" },
  },
} as const satisfies EndpointContract;
