// SPDX-License-Identifier: MIT

import * as z from "./bounded.ts";
import { applicationFields, type EndpointContract } from "./endpoint.ts";

export const api = {
  name: "api",
  section: "4.8",
  summary: "Report the rate limits of the key",
  description: "The limits are in the `X-Limit-*` headers. The call itself does not count.",
  tag: "limits",
  host: "main",
  caller: "application",
  changes: false,
  adds: false,
  counted: false,
  answer: { kind: "status" },
  input: z.object(applicationFields),
  example: { parameters: {}, mistake: { change: { apikey: undefined }, error: "apikey is missing" } },
} as const satisfies EndpointContract;
