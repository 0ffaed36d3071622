// SPDX-License-Identifier: MIT

/**
 * Every way a call can fail, as a closed set (docs/api.md 7). `packages/http/errors.ts` maps a kind to its HTTP status;
 * no other code sets one.
 *
 * - `invalid`: the call does not follow the interface, or names a page that cannot be fetched
 * - `tooLong`: the body is longer than the route accepts
 * - `notFound`: the path, or the item that it names, does not exist; only in the APIs of other services
 * - `unauthorized`: wrong username, password or API key, or a username that is taken
 * - `disabled`: the API key is disabled
 * - `keyLimited`, `addressLimited`, `userLimited`: the rate limit of the API key, of an address that uses a public one,
 *   or of the user
 * - `lockedOut`: too many failed sign-ins
 * - `otherSite`: a web page of another site may have sent the account's password
 * - `signupClosed`: only administrators create users
 * - `sharingOff`: the administrator has not turned sharing on
 * - `notOperator`: only an administrator can do this
 * - `bypassesEdge`: the call did not come through CloudFront, although the service is behind it
 * - `expired`: the address of a picture is wrong or has expired, or the picture is gone
 * - `maintenance`: an administrator has started maintenance; the message is for users
 * - `tooComplex`: a page needs more processor time or memory than allowed
 * - `busy`: a bounded queue is full, or time ran out before the work was complete; the same call succeeds later
 * - `diskFull`: less than the reserve of the disk is free, and the call adds data
 * - `unavailable`: a failure of the service
 */
export type ErrorKind =
  | "invalid"
  | "tooLong"
  | "notFound"
  | "unauthorized"
  | "disabled"
  | "keyLimited"
  | "addressLimited"
  | "userLimited"
  | "lockedOut"
  | "otherSite"
  | "signupClosed"
  | "sharingOff"
  | "notOperator"
  | "bypassesEdge"
  | "expired"
  | "maintenance"
  | "tooComplex"
  | "busy"
  | "diskFull"
  | "unavailable";

/** The code of each kind of error (`X-Error-Code`, docs/api.md 7). */
const codeOfKind = {
  invalid: "invalid",
  tooLong: "body_too_large",
  notFound: "not_found",
  unauthorized: "unauthorized",
  disabled: "key_disabled",
  keyLimited: "key_limited",
  addressLimited: "address_limited",
  userLimited: "user_limited",
  lockedOut: "locked_out",
  otherSite: "other_site",
  signupClosed: "signup_closed",
  sharingOff: "sharing_off",
  notOperator: "not_operator",
  bypassesEdge: "bypasses_edge",
  expired: "expired",
  maintenance: "maintenance",
  tooComplex: "too_complex",
  busy: "busy",
  diskFull: "disk_full",
  unavailable: "unavailable",
} as const satisfies Record<ErrorKind, string>;

/** Codes of errors that a program handles apart from others of their kind. */
const ownCodes = [
  "account_suspended",
  "answer_too_large",
  "app_password",
  "app_password_expired",
  "link_expired",
  "list_full",
  "mail_limited",
  "not_in_list",
  "out_of_scope",
  "page_gone",
  "page_refused",
  "page_unreadable",
  "page_unsupported",
  "quota_full",
  "unknown_key",
  "username_taken",
] as const;

export type ErrorCode = (typeof codeOfKind)[ErrorKind] | (typeof ownCodes)[number];

/** The closed set of codes. */
export const errorCodes: readonly ErrorCode[] = [...Object.values(codeOfKind), ...ownCodes].sort();

/** A failure with a message for the person at the other end: no values that the caller sent, no secrets. */
export class ServiceError extends Error {
  readonly kind: ErrorKind;
  /** Seconds after which a retry makes sense. */
  readonly retryAfter: number | undefined;
  readonly code: ErrorCode;
  /** The same call may succeed later, although nothing else changes. */
  readonly isTemporary: boolean;

  constructor(
    kind: ErrorKind,
    message: string,
    options: { retryAfter?: number; code?: ErrorCode; isTemporary?: boolean; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = "ServiceError";
    this.kind = kind;
    this.retryAfter = options.retryAfter;
    this.code = options.code ?? codeOfKind[kind];
    this.isTemporary = options.isTemporary ?? ["busy", "diskFull", "unavailable"].includes(kind);
  }
}

/** Whether the page is why it could not be read: it cannot be fetched, costs too much, or the program fails on it. */
export const isFaultOfPage = (error: unknown): error is ServiceError =>
  error instanceof ServiceError &&
  (["invalid", "tooComplex"].includes(error.kind) || (error.kind === "unavailable" && !error.isTemporary));

/** The same text for an unknown user and for a wrong password, so that it does not reveal which usernames exist. */
export const wrongCredentials = () => new ServiceError("unauthorized", "username or password is incorrect");

/** The deadline passed because other clients kept changing the list. */
export const listIsBusy = () =>
  new ServiceError("unavailable", "the list is being changed by many clients at once; try again", { retryAfter: 1 });

/** The clock of the list is ahead of the machine's, by minutes; a change waits `seconds`. */
export const clockIsAhead = (seconds: number) =>
  new ServiceError(
    "unavailable",
    `the clock of this list is ahead of the service's clock; try again in ${seconds} seconds`,
    { retryAfter: seconds },
  );

/** Less than the reserve of the disk is free. */
export const diskIsFull = (cause?: unknown) =>
  new ServiceError(
    "diskFull",
    "the disk is full: you can still read and delete, but add nothing until the administrator frees space",
    { retryAfter: 300, cause },
  );

/** Further sign-ins for a username wait until the passwords of earlier ones are verified. */
export const tooManyLogins = () =>
  new ServiceError("busy", "too many sign-ins for this username at once; try again", { retryAfter: 1 });

/** A faulty setting or database; the message is one line for the operator. */
export class SetupError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "SetupError";
  }
}

/** A faulty setting: only the operator can repair it, a restart cannot. */
export class SettingsError extends SetupError {}

/**
 * The list has as many pages, or as many bytes, as it can. A retry does not help, so it does not count as a failure of
 * the service.
 */
export const listIsFull = () =>
  new ServiceError("invalid", "the list is full; delete pages, then send the same request again", {
    code: "list_full",
  });
