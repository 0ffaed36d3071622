// SPDX-License-Identifier: MIT

import * as z from "./bounded.ts";
import { type EndpointContract, userFields } from "./endpoint.ts";
import { invitation } from "./fields.ts";

export const signup = {
  name: "signup",
  section: "4.6",
  summary: "Register a user",
  description:
    "If the username is taken, the status is 401. If the operator has closed signup, the status is 403; if `invitation` was used or has expired, 401.",
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
