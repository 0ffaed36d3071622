// SPDX-License-Identifier: MIT

import * as z from "./bounded.ts";
import { type EndpointContract, userFields } from "./endpoint.ts";
import { invitation } from "./fields.ts";

export const signup = {
  name: "signup",
  section: "4.6",
  summary: "Register a user",
  description:
    "The status is 401 if the username is taken or the `invitation` is used or expired, and 403 if the administrator has closed sign-up.",
  tag: "account",
  host: "main",
  caller: "new-user",
  changes: true,
  adds: true,
  counted: true,
  answer: { kind: "status" },
  input: z.object({ ...userFields, invitation }),
  example: { parameters: {}, mistake: { change: { password: undefined }, error: "password is missing" } },
} as const satisfies EndpointContract;
