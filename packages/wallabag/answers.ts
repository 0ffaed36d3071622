import { STATUS_CODES } from "node:http";
import type { ErrorKind, ServiceError } from "@reading-list/core/errors.ts";
import type { HttpAnswer } from "@reading-list/functions/http/call.ts";

/** JSON with the very content type of wallabag: the Python client reads no other, not even with a charset. */
export const answerJson = (value: unknown, statusCode = 200, headers: Record<string, string> = {}): HttpAnswer => ({
  statusCode,
  headers: { "Content-Type": "application/json", ...headers },
  body: JSON.stringify(value),
});

const statuses: Record<ErrorKind, number> = {
  invalid: 400,
  notFound: 404,
  unauthorized: 401,
  disabled: 403,
  signupClosed: 403,
  keyLimited: 429,
  addressLimited: 429,
  userLimited: 429,
  lockedOut: 429,
  maintenance: 503,
  unavailable: 503,
};

/** The routes that grant tokens: the Android app gives up if it gets 401 there. */
export const tokenRoutes = ["POST /oauth/v2/token", "GET /oauth/v2/token"] as const;

/** An error in wallabag's form: that of OAuth for credentials and faulty calls, that of Symfony for all others. */
export function answerError({ kind, message, retryAfter }: ServiceError, route?: string): HttpAnswer {
  const isGrant = tokenRoutes.some((each) => each === route);
  const status = isGrant && kind === "unauthorized" ? 400 : statuses[kind];
  const headers = {
    ...(retryAfter !== undefined && { "Retry-After": String(retryAfter) }),
    ...(status === 401 && { "WWW-Authenticate": "Bearer" }),
  };
  const code = kind === "unauthorized" ? "invalid_grant" : kind === "invalid" ? "invalid_request" : undefined;
  if (code) return answerJson({ error: code, error_description: message }, status, headers);
  return answerJson({ error: { code: status, message: `${STATUS_CODES[status]}: ${message}` } }, status, headers);
}
