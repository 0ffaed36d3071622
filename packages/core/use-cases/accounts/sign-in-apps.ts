// SPDX-License-Identifier: MIT

import type { RefusedSecret } from "../../domain/admission.ts";
import {
  hashSecret,
  isOver,
  maxSignIns,
  newSecret,
  newSignInId,
  type Scope,
  type SignIn,
  withStoredHashes,
} from "../../domain/sign-in.ts";
import { type ErrorCode, ServiceError } from "../../errors.ts";
import { unixTime } from "../../ports/clock.ts";
import type { Dependencies } from "../../ports/dependencies.ts";
import type { OperatorStore } from "../../ports/operator.ts";
import type { Caller } from "../use-case.ts";

/** The ports of the use cases of app passwords and tokens. */
export type SignInPorts = Pick<Dependencies, "clock" | "signIns" | "erasePermit">;

/** Throws `unauthorized` if the caller signed in with an app password, which cannot manage the account. */
export function requireAccountPassword({ signInId }: Pick<Caller, "signInId">): void {
  if (signInId !== undefined) throw secretRefused("appPassword");
}

const refusals = {
  appPassword: ["app_password", "an app password cannot manage the account; use the account's password"],
  expired: ["app_password_expired", "this app password or token has expired; create another one, or sign in again"],
  otherAudience: ["out_of_scope", "this token was issued to an app for another API of this service; sign in again"],
  outOfScope: ["out_of_scope", "the scope of this app password or token does not include this call; use another one"],
  suspended: [
    "account_suspended",
    "the single sign-on provider no longer gives this account access; ask the administrator",
  ],
} as const satisfies Record<RefusedSecret, [code: ErrorCode, message: string]>;

/** A right secret that does not open a call: no wrong password. */
export function secretRefused(reason: RefusedSecret): ServiceError {
  const [code, message] = refusals[reason];
  return new ServiceError("unauthorized", message, { code });
}

/** The limits of a sign-in. `expiresAt`: unix seconds; never if undefined. */
export interface SignInLimits {
  scope?: Scope | undefined;
  expiresAt?: number | undefined;
}

/**
 * An app password, which is returned this once. Throws `invalid` if the user has 50 sign-ins.
 */
export async function createAppPassword(
  deps: SignInPorts,
  caller: Pick<Caller, "user" | "signInId">,
  name: string,
  limits: SignInLimits = {},
): Promise<{ signIn: SignIn; password: string }> {
  const password = newSecret();
  const signIn = await addSignIn(deps, caller, { name, secretHash: hashSecret(password), ...limits });
  return { signIn, password };
}

/** The name of the sign-in of an app that signs in itself, from what it calls itself. */
export const nameSignIn = (api: string, app: string): string =>
  `${api}: ${app.replaceAll(/[^\x20-\x7e]/g, "")}`.slice(0, 60).trim();

/** Sign-ins of apps with the same name that a user has at most: some apps sign in again each hour. */
const signInsOfName = 5;

/**
 * Removes the oldest sign-ins of a name, which an app gives itself, so that there is room for another one. Throws
 * `unauthorized` if the caller did not use the account's password.
 */
export async function makeRoom(
  { signIns }: Pick<SignInPorts, "signIns">,
  caller: Pick<Caller, "user" | "signInId">,
  name: string,
): Promise<void> {
  requireAccountPassword(caller);
  const { user } = caller;
  const known = await signIns.list(user.username);
  const sameName = known.filter((signIn) => signIn.name === name);
  for (const old of sameName.slice(0, -(signInsOfName - 1))) await signIns.remove(user.username, old.id);
}

/**
 * Adds a sign-in of an app, and removes expired ones. Throws `unauthorized` if the caller did not use the
 * account's password, `invalid` if the user has 50 sign-ins.
 */
export async function addSignIn(
  { clock, signIns, erasePermit }: SignInPorts,
  caller: Pick<Caller, "user" | "signInId">,
  {
    scope = "full",
    ...given
  }: Omit<SignIn, "id" | "scope" | "createdAt" | "usedAt"> & Pick<SignInLimits, "scope"> & Partial<Pick<SignIn, "id">>,
): Promise<SignIn> {
  requireAccountPassword(caller);
  const now = unixTime(clock);
  const added: SignIn = { id: newSignInId(), ...given, scope, createdAt: now, usedAt: 0 };
  const signIn = withStoredHashes(added, added);
  const { user } = caller;
  if (await signIns.add(user, signIn)) return signIn;
  const over = (await signIns.list(user.username)).filter((old) => isOver(old, now));
  const mayErase = (await erasePermit()) !== undefined;
  if (mayErase) for (const old of over) await signIns.remove(user.username, old.id);
  // Sign-ins that wait to be erased take no room.
  if (await signIns.add(user, signIn, mayErase ? 0 : Math.min(over.length, maxSignIns))) return signIn;
  throw new ServiceError("invalid", `you have ${maxSignIns} app passwords; revoke one that you do not use`);
}

/** Ends all app passwords and signed-in apps of a user; the password stays. Returns their number. */
export async function endSignIns({ signIns }: Pick<OperatorStore, "signIns">, username: string): Promise<number> {
  const found = await signIns.list(username);
  for (const { id } of found) await signIns.remove(username, id);
  return found.length;
}
