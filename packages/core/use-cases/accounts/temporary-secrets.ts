// SPDX-License-Identifier: MIT

import { hashSecret, newSecret, type Scope } from "../../domain/sign-in.ts";
import { unixTime } from "../../ports/clock.ts";
import type { User } from "../../ports/users.ts";
import { addSignIn, makeRoom, type SignInPorts } from "./sign-in-apps.ts";

/** Seconds for which a browser can exchange a code, and a fresh token stands for the account's password. */
export const codeSeconds = 60;
const freshSeconds = 600;

/** A secret for some seconds, which is returned this once. */
async function addTemporary(deps: SignInPorts, user: User, scope: Scope, name: string, seconds: number) {
  const secret = newSecret();
  const caller = { user, signInId: undefined };
  await makeRoom(deps, caller, name);
  const expiresAt = unixTime(deps.clock) + seconds;
  await addSignIn(deps, caller, { name, secretHash: hashSecret(secret), scope, expiresAt });
  return secret;
}

/** A code that a browser exchanges for its own sign-in, once, within 60 s. */
export const addCode = (deps: SignInPorts, user: User): Promise<string> =>
  addTemporary(deps, user, "code", "Code of single sign-on", codeSeconds);

/** A token that stands for the account's password for 10 minutes. */
export const addFreshToken = (deps: SignInPorts, user: User): Promise<string> =>
  addTemporary(deps, user, "fresh", "Fresh sign-in", freshSeconds);
