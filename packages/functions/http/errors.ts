import { type ErrorKind, ServiceError } from "@reading-list/core/errors.ts";

/** The HTTP status of each kind of error (spec section 7). */
export const statusOf: Record<ErrorKind, number> = {
  invalid: 400,
  unauthorized: 401,
  limited: 403,
  disabled: 403,
  maintenance: 503,
  unavailable: 503,
};

/** Seconds after which a client may try again when we have failed. */
const retryAfterFailure = 5;

/** Any error as one that a client may see: one that is not ours becomes `unavailable`, without its words. */
export function asServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  const message = "the service has a problem of its own; try again in a moment";
  return new ServiceError("unavailable", message, { retryAfter: retryAfterFailure, cause: error });
}

/** Text for a header: one line of printable ASCII. */
export function asHeaderLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").replaceAll(/[^\x20-\x7e]/g, "?");
}
