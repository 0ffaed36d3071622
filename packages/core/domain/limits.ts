/** Calls allowed in one window (spec section 8). */
export interface Limits {
  user: number;
  key: number;
}

/** What the six `X-Limit-*` headers tell (spec section 7). */
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

/** The window of `seconds` length that holds `now`. */
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

/** Wrong passwords for one username from one address, after which further tries are refused unheard. */
export const guessesAllowed = 10;
/** Seconds from the first wrong password after which that address may try again. */
export const guessWindowSeconds = 900;
