// SPDX-License-Identifier: MIT

import { hashOfSecret, isOver, maxSignIns, newSecret, newSignInId, type SignIn } from "../../domain/sign-in.ts";
import { ServiceError } from "../../errors.ts";
import { type Dependencies, secondsOf } from "../../ports.ts";
import type { Caller } from "../use-case.ts";

/** The ports of the use cases of app passwords and tokens. */
export type SignInPorts = Pick<Dependencies, "clock" | "signIns">;

/** Throws `unauthorized` if the caller signed in with an app password, which cannot manage the account. */
export function requireAccountPassword({ signInId }: Pick<Caller, "signInId">): void {
  if (signInId !== undefined) throw appPasswordRefused();
}

export const appPasswordRefused = () =>
  new ServiceError("unauthorized", "an app password cannot manage the account; use the account's password", {
    code: "app_password",
  });

/** An app password, which is returned this once. Throws `invalid` if the user has 50 sign-ins. */
export async function createAppPassword(
  deps: SignInPorts,
  caller: Pick<Caller, "user" | "signInId">,
  name: string,
): Promise<{ signIn: SignIn; password: string }> {
  const password = newSecret();
  const signIn = await addSignIn(deps, caller, { name, secretHash: hashOfSecret(password) });
  return { signIn, password };
}

/** Sign-ins of apps with the same name that a user has at most: some apps sign in anew each hour. */
const signInsOfName = 5;

/** Removes the oldest sign-ins of a name, which an app gives itself, so that there is room for another one. */
export async function makeRoomOf(
  { signIns }: SignInPorts,
  { user }: Pick<Caller, "user">,
  name: string,
): Promise<void> {
  const known = await signIns.list(user.username);
  const sameName = known.filter((signIn) => signIn.name === name);
  for (const old of sameName.slice(0, -(signInsOfName - 1))) await signIns.remove(user.username, old.id);
}

/**
 * Adds a sign-in of an app, in place of those that have expired. Throws `unauthorized` if the caller did not use the
 * account's password, `invalid` if the user has 50 sign-ins.
 */
export async function addSignIn(
  { clock, signIns }: SignInPorts,
  caller: Pick<Caller, "user" | "signInId">,
  given: Omit<SignIn, "id" | "createdAt" | "usedAt">,
): Promise<SignIn> {
  requireAccountPassword(caller);
  const now = secondsOf(clock);
  const signIn: SignIn = { ...given, id: newSignInId(), createdAt: now, usedAt: 0 };
  const { user } = caller;
  if (await signIns.add(user, signIn)) return signIn;
  for (const old of await signIns.list(user.username))
    if (isOver(old, now)) await signIns.remove(user.username, old.id);
  if (await signIns.add(user, signIn)) return signIn;
  throw new ServiceError("invalid", `you have ${maxSignIns} app passwords; revoke one that you do not use`);
}
