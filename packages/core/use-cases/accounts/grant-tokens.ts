// SPDX-License-Identifier: MIT

import { hashOfSecret, newSecret, type Secrets } from "../../domain/sign-in.ts";
import { ServiceError } from "../../errors.ts";
import { secondsOf } from "../../ports.ts";
import type { Caller } from "../use-case.ts";
import { addSignIn, makeRoomOf, type SignInPorts } from "./sign-in-apps.ts";

/** Seconds for which the tokens of an OAuth sign-in are accepted; the second from its last use. */
export const accessSeconds = 3600;
const refreshSeconds = 14 * 86_400;

/** The secrets of a sign-in, as its app gets them this once. */
export interface Tokens {
  access: string;
  /** The id of the sign-in, and the secret that is exchanged for new tokens. */
  refresh: { id: string; secret: string };
}

function newTokens(now: number): { access: string; refresh: string; secrets: Secrets } {
  const [access, refresh] = [newSecret(), newSecret()];
  return {
    access,
    refresh,
    secrets: {
      secretHash: hashOfSecret(access),
      expiresAt: now + accessSeconds,
      refresh: { hash: hashOfSecret(refresh), expiresAt: now + refreshSeconds },
    },
  };
}

/** Signs an app in for a user whose account password it has sent. The oldest sign-in of that name makes room. */
export async function grantTokens(deps: SignInPorts, caller: Caller, name: string): Promise<Tokens> {
  const now = secondsOf(deps.clock);
  await makeRoomOf(deps, caller, name);
  const { access, refresh, secrets } = newTokens(now);
  const { id } = await addSignIn(deps, caller, { name, ...secrets });
  return { access, refresh: { id, secret: refresh } };
}

/** Exchanges a refresh token for new tokens. Throws `unauthorized` if it is wrong, was used before, or has expired. */
export async function renewTokens(
  deps: SignInPorts,
  { username, id, secret }: { username: string; id: string; secret: string },
): Promise<Tokens> {
  const now = secondsOf(deps.clock);
  const { access, refresh, secrets } = newTokens(now);
  if (await deps.signIns.renew(username, id, hashOfSecret(secret), secrets, now)) {
    return { access, refresh: { id, secret: refresh } };
  }
  throw new ServiceError("unauthorized", "the refresh token is wrong or has expired; sign in again");
}
