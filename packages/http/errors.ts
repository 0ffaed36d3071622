// SPDX-License-Identifier: MIT

import { type ErrorKind, ServiceError } from "@reading-list/core/errors.ts";
import type { z } from "zod";

/** The HTTP status of each kind of error (docs/api.md 7.1). */
export const statusOf = {
  invalid: 400,
  tooLong: 400,
  notFound: 404,
  unauthorized: 401,
  disabled: 403,
  keyLimited: 403,
  addressLimited: 403,
  userLimited: 403,
  lockedOut: 403,
  otherSite: 403,
  signupClosed: 403,
  sharingOff: 403,
  notOperator: 403,
  bypassesEdge: 403,
  expired: 403,
  maintenance: 503,
  tooComplex: 503,
  busy: 503,
  diskFull: 503,
  unavailable: 503,
} as const satisfies Record<ErrorKind, number>;

/** The HTTP statuses in APIs of other services: their clients wait only after 429, and understand 413. */
export const apiStatusOf = {
  ...statusOf,
  tooLong: 413,
  keyLimited: 429,
  addressLimited: 429,
  userLimited: 429,
  lockedOut: 429,
} as const satisfies Record<ErrorKind, number>;

/** The headers of a failed call of such an API. */
export const createFailureHeaders = ({ retryAfter }: ServiceError, status: number): Record<string, string> => ({
  ...(retryAfter !== undefined && { "Retry-After": String(retryAfter) }),
  ...(status === 401 && { "WWW-Authenticate": "Bearer" }),
});

/** A status that an error can have. */
export type ErrorStatus = (typeof statusOf)[ErrorKind];

/** Kinds without a metric: a deployed service has no administrators, and a disabled feature is not a problem. */
const unwatched = ["notOperator", "sharingOff"] as const;
/** The kinds of error that refuse a call with 403 and have a metric. */
export type RefusalKind = Exclude<
  { [K in ErrorKind]: (typeof statusOf)[K] extends 403 ? K : never }[ErrorKind],
  (typeof unwatched)[number]
>;
export const isRefusal = (kind: ErrorKind): kind is RefusalKind =>
  statusOf[kind] === 403 && !unwatched.some((each) => each === kind);

/** `Retry-After` in seconds if the service failed. */
const retryAfterFailure = 5;

/** An error for the client. The text of an unexpected error may contain secrets, so it becomes `unavailable`. */
export function asServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  const message = "the service failed; try again in a few seconds";
  return new ServiceError("unavailable", message, { retryAfter: retryAfterFailure, cause: error });
}

/** Text for a header: one line of printable ASCII. */
export function asHeaderLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").replaceAll(/[^\x20-\x7e]/g, "?");
}

/** A step of the path to an invalid value. A key chosen by the client is shown only if it is plain. */
const stepName = (step: PropertyKey) => (/^[\w, -]{1,60}$/.test(String(step)) ? String(step) : "?");

/** The first parameter or entry that breaks a rule, never its value, and the rule. */
export function describeFault({ issues: [issue] }: z.ZodError): string {
  return `${issue?.path.map(stepName).join(".")} ${issue?.message}`;
}
