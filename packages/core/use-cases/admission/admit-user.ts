// SPDX-License-Identifier: MIT

import { count, retries } from "../../call-scope.ts";
import { isLockedOut } from "../../domain/lockout.ts";
import { hashSecret, isSecret } from "../../domain/sign-in.ts";
import { tooManyLogins } from "../../errors.ts";
import type { Dependencies } from "../../ports/dependencies.ts";
import type { LoginUnderWay } from "../../ports/sign-ins.ts";
import type { User, UserCall, UserCallOutcome } from "../../ports/users.ts";

/** The ports of the admission of users. Every function whose contract has users as callers has `passwords`. */
export type UserAdmissionPorts = Pick<Dependencies, "users" | "loginAttempts" | "proofOf"> &
  Partial<Pick<Dependencies, "passwords" | "secondFactor">>;

/** A call for a user, with credentials that are not verified yet. */
export interface UserCallToAdmit extends Omit<UserCall, "proof" | "verified" | "secretHash"> {
  password: string;
  /** The answer of an authenticator. */
  passkey?: string | undefined;
  /** The password can only be the secret of a sign-in. */
  isToken?: boolean;
  /** Only the secret of a sign-in is right; any other password is a failed sign-in. */
  needsAppPassword?: boolean;
  /** The address the call came from. */
  address: string;
  /** The address and the application for which a proof is valid. */
  source: string;
  /** Those whose failed sign-ins lock this one out. */
  lockoutSource: string;
}

export type UserAdmission =
  | Exclude<UserCallOutcome, { kind: "unproven" }>
  /** Too many failed sign-ins from this source; the password was not verified. */
  | { kind: "lockedOut"; retryAfter: number }
  | { kind: "wrong" };

/** No proof, which have 22 characters. */
const noProof = "none";

/** Attempts of a login that waits for a place: 2 s, in which most of those under way end. */
const attemptsWhileBusy = 20;

/**
 * Checks the credentials of a call and counts it against its user. If the store has a proof of the password, or the
 * password is an app password, this takes one database call. Otherwise the password is verified first, so that wrong
 * passwords never use up the user's calls; `mayVerify` is awaited before that.
 *
 * A login takes one of the places that failures have left before its password is verified, and a wrong password is
 * answered only after it was counted, so that concurrent guesses cannot pass the lockout. A process that dies meanwhile
 * counts nothing; its places are free again after 10 s. The user's own concurrent logins wait for each other; the first
 * that succeeds stores the proof. The last failure that is allowed deletes the proofs, so that the lockout applies to
 * the right password, too. A right app password passes the lockout: nobody can guess 100 random bits, and an old app
 * must not lock out a new one. For the same reason a wrong token, such as an expired one, does not count as a failed
 * sign-in.
 *
 * For a user with passkeys a password without the right answer of one is a wrong one, so that nobody learns that it is
 * right.
 */
export async function admitUser(
  deps: UserAdmissionPorts,
  login: UserCallToAdmit,
  mayVerify: () => Promise<boolean>,
): Promise<UserAdmission | undefined> {
  const { username, now, password, passkey, isToken = false, needsAppPassword = false, address, lockoutSource } = login;
  // Field by field, as each call makes this object. A token has no proof: a stored proof may be for the account's
  // password, which is not valid with `OIDC_ONLY`.
  const call: UserCall = {
    username,
    proof: isToken || needsAppPassword ? noProof : deps.proofOf(login, now),
    secretHash: isSecret(password) ? hashSecret(password) : undefined,
    needsAccountPassword: login.needsAccountPassword,
    scope: login.scope,
    api: login.api,
    now,
    window: login.window,
    limit: login.limit,
    countsAlone: login.countsAlone,
    calls: login.calls,
    sync: login.sync,
  };
  const { passwords } = deps;
  if (!passwords) throw new Error("this function was composed without passwords");
  const first = await deps.users.countCall(call);
  if (first.kind !== "unproven") return first;
  if (isToken) return { kind: "wrong" };
  if (!(await mayVerify())) return undefined;

  for await (const attempt of retries()) {
    const outcome = attempt === 1 ? first : await deps.users.countCall(call);
    if (outcome.kind !== "unproven") return outcome;
    const { user } = outcome;
    const begun = await deps.loginAttempts.begin(username, lockoutSource, now);
    if (begun.kind === "lockedOut") return { kind: "lockedOut", retryAfter: begun.until - now };
    if (begun.kind === "busy") {
      if (attempt < attemptsWhileBusy) continue;
      break;
    }
    const isRight = await verify({ ...deps, passwords }, user, { password, passkey, address, needsAppPassword }, begun);
    if (!isRight || !user) return { kind: "wrong" };
    const [verified] = await Promise.all([deps.users.countCall({ ...call, verified: user }), begun.undo()]);
    return verified.kind === "unproven" ? { kind: "wrong" } : verified;
  }
  throw tooManyLogins();
}

/** Counts a wrong password or code. True if all logins that are allowed have failed now. Throws as `LoginUnderWay.fail`. */
export async function failLogin(login: LoginUnderWay): Promise<boolean> {
  const attempts = await login.fail();
  if (attempts.failed === 1) count("signInsFailing");
  return isLockedOut(attempts);
}

/**
 * Whether the password is right, and the answer of a passkey if the user has one. A wrong one is a failed sign-in; an error
 * during verification is not.
 */
async function verify(
  {
    passwords,
    users,
    secondFactor,
  }: Pick<Dependencies, "passwords" | "users"> & Pick<UserAdmissionPorts, "secondFactor">,
  user: User | undefined,
  {
    password,
    passkey,
    address,
    needsAppPassword,
  }: Pick<UserCallToAdmit, "password" | "passkey" | "address" | "needsAppPassword">,
  login: LoginUnderWay,
): Promise<boolean> {
  let isRight: boolean;
  try {
    const isAnswered = !user?.hasPasskeys || (passkey !== undefined && (await secondFactor?.verify(user, passkey)));
    isRight =
      !needsAppPassword && (await passwords.verify(user?.passwordHash, password, address)) && isAnswered === true;
  } catch (error) {
    await login.undo();
    throw error;
  }
  if (!isRight && (await failLogin(login)) && user) await users.forgetProofs(user.username);
  return isRight;
}
