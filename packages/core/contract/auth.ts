// SPDX-License-Identifier: MIT

import * as z from "./bounded.ts";
import { type EndpointContract, userFields } from "./endpoint.ts";

export const auth = {
  name: "auth",
  section: "4.5",
  summary: "Verify a username and password",
  description: "Other endpoints do not require `auth` to be called first.",
  tag: "account",
  host: "main",
  caller: "user",
  changes: false,
  adds: false,
  counted: true,
  answer: { kind: "status" },
  input: z.object(userFields),
  example: { parameters: {}, mistake: { change: { username: undefined }, error: "username is missing" } },
} as const satisfies EndpointContract;
