import { STATUS_CODES } from "node:http";
import type { ErrorKind, ServiceError } from "@reading-list/core/errors.ts";
import type { HttpAnswer } from "@reading-list/functions/http/call.ts";

/** JSON as Readeck writes it. */
export const answerJson = (value: unknown, statusCode = 200, headers: Record<string, string> = {}): HttpAnswer => ({
  statusCode,
  headers: { "Content-Type": "application/json; charset=utf-8", ...headers },
  body: JSON.stringify(value),
});

const statuses: Record<ErrorKind, number> = {
  invalid: 422,
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

/** An error in Readeck's form. Invalid fields have that of its forms, in which clients look for `errors`. */
export function answerError({ kind, message, retryAfter }: ServiceError): HttpAnswer {
  const status = statuses[kind];
  const fields = kind === "invalid" ? { is_valid: false, errors: [message], fields: {} } : {};
  return answerJson({ status, message: `${STATUS_CODES[status]}: ${message}`, ...fields }, status, {
    ...(retryAfter !== undefined && { "Retry-After": String(retryAfter) }),
    ...(status === 401 && { "WWW-Authenticate": "Bearer" }),
  });
}
