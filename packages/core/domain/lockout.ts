// SPDX-License-Identifier: MIT

import { lockoutSeconds, maxFailedLogins } from "./limits.ts";

/**
 * The failed sign-ins for a username from one source, and the sign-ins whose password is being verified (docs/api.md
 * 5.4).
 */
export interface LoginAttempts {
  /** Unix seconds at which the failures no longer count. */
  expires: number;
  failed: number;
  /** The unix seconds at which each login under way gives up its place, by the id of the login. */
  underWay: Readonly<Record<string, number>>;
}

/** Seconds after which a login has lost its place: its process has died. A call ends earlier. */
const placeSeconds = 10;

/** Whether a login may verify its password, and the attempts to store then. */
export type BegunLogin =
  | { kind: "begun"; attempts: LoginAttempts }
  | { kind: "lockedOut"; until: number }
  /** All places are taken; some of those logins may still succeed. */
  | { kind: "busy" };

/** Gives a login one of the places that failures have left. Safe to repeat with the same id. */
export function beginLogin(stored: LoginAttempts | undefined, id: string, now: number): BegunLogin {
  // A machine with a wrong clock began a span that ends later.
  const isOpen = stored && stored.expires > now && stored.expires <= now + 2 * lockoutSeconds;
  const failed = isOpen ? stored.failed : 0;
  const expires = isOpen ? stored.expires : now + lockoutSeconds;
  if (failed >= maxFailedLogins) return { kind: "lockedOut", until: expires };
  const others = Object.entries(stored?.underWay ?? {}).filter(
    ([other, until]) => other !== id && until > now && until <= now + 2 * placeSeconds,
  );
  if (failed + others.length >= maxFailedLogins) return { kind: "busy" };
  return {
    kind: "begun",
    attempts: { expires, failed, underWay: { ...Object.fromEntries(others), [id]: now + placeSeconds } },
  };
}

/** The attempts of the present span. The database stores failures only, so a span begins with its first failure. */
export const inSpan = (stored: LoginAttempts, expires: number): LoginAttempts =>
  stored.expires < expires ? { ...stored, expires, failed: 0 } : stored;

/**
 * The attempts after a login has ended; undefined if it has lost its place to another one: its caller must not learn
 * whether the password was wrong.
 */
export function endLogin(stored: LoginAttempts | undefined, id: string, isWrong: boolean): LoginAttempts | undefined {
  if (stored?.underWay[id] === undefined) return undefined;
  const { [id]: _, ...underWay } = stored.underWay;
  return { ...stored, failed: stored.failed + (isWrong ? 1 : 0), underWay };
}

/** Whether all logins that are allowed have failed. */
export const isLockedOut = ({ failed }: LoginAttempts): boolean => failed >= maxFailedLogins;
