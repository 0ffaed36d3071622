// SPDX-License-Identifier: MIT

/** Calls of one window, for the user or the API key. */
export interface Limit {
  /** Calls in a window. */
  limit: number;
  /** Calls left in this window. */
  remaining: number;
  /** Seconds until the window ends. */
  resetSeconds: number;
}

/** The rate limits as of a response (docs/api.md 8.2). */
export interface Limits {
  user: Limit;
  key: Limit;
}

/**
 * - `invalid`: 400 or 413, the call or an entry is wrong, or the page of `text` cannot be fetched; nothing was applied
 * - `unauthorized`: 401, wrong username, password or API key, or a username that is taken
 * - `limited`: 403, try again after `retryAfter` seconds: a rate limit, too many wrong passwords, a disabled key,
 * closed
 *   registration
 * - `notFound`: 404 or 405, the base URL is not the URL of a service
 * - `unavailable`: 503, 429 and other 5xx: maintenance or a failure of the service
 * - `noResponse`: no connection, no answer in time, or an answer that does not come from a reading-list service
 */
export type ApiErrorKind = "invalid" | "unauthorized" | "limited" | "notFound" | "unavailable" | "noResponse";

interface ApiErrorDetails {
  /** The HTTP status; 0 if there was no response. */
  status: number;
  kind: ApiErrorKind;
  /** The `X-Error-Code` (docs/api.md 7.2); undefined without a response. */
  code?: string | undefined;
  /** Seconds to wait before the next try, if the service says so. */
  retryAfter?: number | undefined;
  limits?: Limits | undefined;
  cause?: unknown;
}

/** A call that failed. `message` is meant for the user; it holds no password, API key or other value that was sent. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly kind: ApiErrorKind;
  readonly code: string | undefined;
  readonly retryAfter: number | undefined;
  readonly limits: Limits | undefined;

  constructor(message: string, { status, kind, code, retryAfter, limits, cause }: ApiErrorDetails) {
    super(message, { cause });
    this.status = status;
    this.kind = kind;
    this.code = code;
    this.retryAfter = retryAfter;
    this.limits = limits;
  }
}

/** The answer of a call; undefined if it is too large for one response. */
export async function unlessTooLarge<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof ApiError && error.code === "answer_too_large") return undefined;
    throw error;
  }
}
