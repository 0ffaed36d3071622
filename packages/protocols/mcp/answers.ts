// SPDX-License-Identifier: MIT

import { resourceMetadataUrl } from "@reading-list/core/contract/apis.ts";
import type { ErrorKind, ServiceError } from "@reading-list/core/errors.ts";
import type { Call, HttpAnswer } from "@reading-list/http/call.ts";
import { apiStatusOf, createFailureHeaders } from "@reading-list/http/errors.ts";

export const answerJson = (value: unknown, status = 200, headers: Record<string, string> = {}): HttpAnswer => ({
  status,
  headers: { "Content-Type": "application/json", ...headers },
  body: JSON.stringify(value),
});

/** Codes of JSON-RPC: an invalid request, an internal error, an error of the server's own. */
const codes: Partial<Record<ErrorKind, number>> = { invalid: -32600, tooLong: -32600, unavailable: -32603 };
const ownCode = -32000;

/** An error as JSON-RPC writes it. Without credentials it names the metadata by which apps find the authorization server. */
export function answerError(error: ServiceError, call: Pick<Call, "apiAddress" | "input">): HttpAnswer {
  const { kind, message } = error;
  const status = apiStatusOf[kind];
  const { id = null } = (call.input ?? {}) as { id?: string | number | null };
  const metadata = call.apiAddress && resourceMetadataUrl(call.apiAddress);
  const headers = {
    ...createFailureHeaders(error, status),
    ...(status === 401 && metadata && { "WWW-Authenticate": `Bearer resource_metadata="${metadata}"` }),
  };
  return answerJson({ jsonrpc: "2.0", id, error: { code: codes[kind] ?? ownCode, message } }, status, headers);
}
