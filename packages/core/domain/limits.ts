/** Calls allowed in one window (docs/api.md 8.1). */
export interface Limits {
  user: number;
  key: number;
}

/** The values of three `X-Limit-*` headers (docs/api.md 8.2). */
export interface LimitStatus {
  limit: number;
  remaining: number;
  /** Seconds until the window ends. */
  reset: number;
}

/** A span of the clock in which calls are counted: aligned, so that all machines agree on it. Unix seconds. */
export interface LimitWindow {
  start: number;
  end: number;
}

/** The window of `seconds` length that contains `now`. */
export function windowAt(now: number, seconds: number): LimitWindow {
  const start = now - (now % seconds);
  return { start, end: start + seconds };
}

/** The status of a limit after `used` calls in the window. */
export function limitStatus(limit: number, used: number, window: LimitWindow, now: number): LimitStatus {
  return { limit, remaining: Math.max(0, limit - used), reset: Math.max(0, window.end - now) };
}

/** The status shown for an API key that does not exist. */
export const noLimit: LimitStatus = { limit: 0, remaining: 0, reset: 0 };

/** Failed logins for a username from one address, after which logins are refused without checking the password. */
export const failedLoginsAllowed = 10;
/** Seconds from the first failed login for which they count. */
export const lockoutSeconds = 900;
