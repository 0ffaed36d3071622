// SPDX-License-Identifier: MIT

import {
  addUserCalls,
  comparedCalls,
  hasRoom,
  isWindowOpen,
  type LimitWindow,
  noCalls,
  toUserCalls,
  type UserCalls,
} from "./limits.ts";
import { isAccepted, opens, type Scope, type SignIn } from "./sign-in.ts";
import { chooseSyncTime, type ListPart, type UserClock } from "./user-clock.ts";
import { beginWalk, type Walks } from "./walks.ts";

/** The part of a user that a call is admitted by, and changes. */
export interface CallingUser extends UserCalls {
  passwordHash: string;
  hasPasskeys?: boolean;
  isSuspended?: boolean;
  clock: UserClock;
  windowStart: number;
  walks: Walks;
}

/** A call that counts against a user. */
export interface CountedCall {
  /** See `PasswordProof`. */
  proof: string;
  /** Only the account's own password, or a fresh token, is accepted. */
  needsAccountPassword: boolean;
  /** The scope that a sign-in needs. */
  scope: Scope;
  /** The API that is called; undefined for the service's own endpoints. */
  api?: string | undefined;
  /** Unix seconds. */
  now: number;
  /** The user against whose record the password, and a passkey if there is one, were verified in this call; undefined before. */
  verified?: Pick<CallingUser, "passwordHash" | "hasPasskeys">;
  window: LimitWindow;
  limit: number;
  /** See `Application.countsAlone`. */
  countsAlone: boolean;
  /** The number of calls that it counts, 1 or more. The call is admitted if they fit, or if no call of the window is used. */
  calls: number;
  /**
   * For a call that will answer with a `since`, to which admission raises the user's clock. `beginsWalk`: the answer is
   * the first page of a possible walk. `since`: the client has everything up to this time; if nothing has changed after it,
   * the clock stays (`isNothingNew`). `part`: the part of the list that the `since` is about; the items if undefined.
   */
  sync?: { beginsWalk: boolean; since?: number | undefined; part?: ListPart } | undefined;
}

/** The facts that a store has about the password of a call. */
export interface KnownSecrets {
  /** Proofs of the user's present password. */
  proofs: readonly string[];
  /** The sign-in whose secret the password is. */
  signIn: Pick<SignIn, "expiresAt" | "scope" | "audience"> | undefined;
}

/** The reason why the password of a call is right: it was verified in this call or before, or is an app's secret. */
export type Credential = "verified" | "proof" | "secret";

/** Whether a call is admitted, and the user as the record has to be then. */
export type Admission<User> =
  | {
      kind: "counted";
      user: User;
      credential: Credential;
      /** The user's window is over, and the call opens the next one. */
      opensWindow: boolean;
      /** The call begins a walk over pages that has no entry. */
      beginsWalk: boolean;
    }
  | { kind: "limited"; user: User }
  | { kind: "refused"; reason: RefusedSecret }
  | { kind: "unproven"; user: User };

/**
 * Why a right secret is refused: the call needs the account's password, the sign-in has expired, is for another API, or its
 * scope does not include the call; or single sign-on no longer lets the user in, whose account's password is refused, too.
 */
export type RefusedSecret = "appPassword" | "expired" | "otherAudience" | "outOfScope" | "suspended";

/** Proofs of a user's password that are kept: the addresses and applications of a day. */
const proofsKept = 8;

export const addProof = (proofs: readonly string[], proof: string): string[] => [...proofs, proof].slice(-proofsKept);

type PendingCallsOf = (windowStart: number) => UserCalls;

/**
 * The window that counts a call, and its calls so far: the user's window if it is open, else the window of the call.
 * `pendingCalls`: the calls of a window that the user's record does not have yet.
 */
function openWindow(
  { windowStart, ...counted }: UserCalls & Pick<CallingUser, "windowStart">,
  window: LimitWindow,
  pendingCalls: PendingCallsOf,
): { isNew: boolean; start: number; used: UserCalls } {
  const isNew = !isWindowOpen(windowStart, window);
  const start = isNew ? window.start : windowStart;
  return { isNew, start, used: addUserCalls(isNew ? noCalls : counted, pendingCalls(start)) };
}

function findCredential(
  { verified, proof, now }: CountedCall,
  user: CallingUser,
  { proofs, signIn }: KnownSecrets,
): Credential | undefined {
  if (signIn && isAccepted(signIn, now)) return "secret";
  if (verified) {
    const isSame = verified.passwordHash === user.passwordHash && !verified.hasPasskeys === !user.hasPasskeys;
    return isSame ? "verified" : undefined;
  }
  return proofs.includes(proof) && !user.hasPasskeys ? "proof" : undefined;
}

/** Decides a call by the user's record: see `UserStore.countCall`. */
export function admitCall<User extends CallingUser>(
  call: CountedCall,
  user: User,
  known: KnownSecrets,
  pendingCalls: PendingCallsOf = () => noCalls,
): Admission<User> {
  const { needsAccountPassword, now, window, limit, countsAlone, calls, sync } = call;
  const credential = findCredential(call, user, known);
  const { signIn } = known;
  if (!credential) return signIn ? { kind: "refused", reason: "expired" } : { kind: "unproven", user };
  if (user.isSuspended) return { kind: "refused", reason: "suspended" };
  if (credential === "secret" && signIn) {
    const { scope, audience = call.api } = signIn;
    const isFresh = scope === "fresh";
    if (needsAccountPassword && !isFresh) return { kind: "refused", reason: "appPassword" };
    if (audience !== call.api) return { kind: "refused", reason: "otherAudience" };
    if (!needsAccountPassword && !opens(scope, call.scope)) return { kind: "refused", reason: "outOfScope" };
  }
  const { isNew, start, used } = openWindow(user, window, pendingCalls);
  if (!hasRoom(limit, comparedCalls(used, countsAlone), calls)) return { kind: "limited", user: { ...user, ...used } };
  const lastSince = sync ? chooseSyncTime(now, user.clock) : user.clock.lastSince;
  const walks = sync?.beginsWalk ? beginWalk(user.walks, { since: lastSince, startedAt: now }) : user.walks;
  return {
    kind: "counted",
    user: {
      ...user,
      windowStart: start,
      ...addUserCalls(used, toUserCalls(calls, countsAlone)),
      clock: { ...user.clock, lastSince },
      walks,
    },
    credential,
    opensWindow: isNew,
    beginsWalk: walks !== user.walks,
  };
}
