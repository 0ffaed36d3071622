// SPDX-License-Identifier: MIT

import type { HttpAnswer, HttpRequest } from "@reading-list/http/call.ts";

/** A request with these parts. */
export const requestOf = (parts: Partial<HttpRequest>): HttpRequest => ({
  method: "GET",
  path: "/",
  query: "",
  headers: {},
  body: Buffer.alloc(0),
  address: "127.0.0.1",
  id: "id",
  ...parts,
});

/** An answer without headers, such as a gateway's refusal. */
export const plainAnswer = (status: number, body: string): HttpAnswer => ({ status, headers: {}, body });
