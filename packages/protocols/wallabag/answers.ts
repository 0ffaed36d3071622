// SPDX-License-Identifier: MIT

import { STATUS_CODES } from "node:http";
import type { ServiceError } from "@reading-list/core/errors.ts";
import type { Call, HttpAnswer } from "@reading-list/http/call.ts";
import { apiStatusOf, createFailureHeaders } from "@reading-list/http/errors.ts";

/** JSON with exactly wallabag's content type: the Python client accepts no other, not even with a charset. */
export const answerJson = (value: unknown, status = 200, headers: Record<string, string> = {}): HttpAnswer => ({
  status,
  headers: { "Content-Type": "application/json", ...headers },
  body: JSON.stringify(value),
});

/** JSON of any length, which `parts` write. */
export const answerJsonParts = (parts: AsyncIterable<string>): HttpAnswer => ({ ...answerJson([]), parts });

/** The routes that grant tokens: the Android app gives up if it gets 401 there. */
export const tokenRoutes = ["POST /oauth/v2/token", "GET /oauth/v2/token"] as const;

/** An error in wallabag's form: OAuth's for credentials and invalid calls, Symfony's for all others. */
export function answerError(error: ServiceError, { route, request }: Pick<Call, "route" | "request">): HttpAnswer {
  const { kind, message } = error;
  const isGrant = tokenRoutes.some((each) => each === route);
  const status = isGrant && kind === "unauthorized" ? 400 : apiStatusOf[kind];
  const headers = createFailureHeaders(error, status);
  const refused = isGrant || request.headers.authorization ? "invalid_grant" : "access_denied";
  const code = kind === "unauthorized" ? refused : kind === "invalid" ? "invalid_request" : undefined;
  if (code) return answerJson({ error: code, error_description: message }, status, headers);
  return answerJson({ error: { code: status, message: `${STATUS_CODES[status]}: ${message}` } }, status, headers);
}
