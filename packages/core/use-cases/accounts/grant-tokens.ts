// SPDX-License-Identifier: MIT

import { deriveSecret, hashSecret, newSecret, type Secrets } from "../../domain/sign-in.ts";
import { ServiceError } from "../../errors.ts";
import { unixTime } from "../../ports/clock.ts";
import type { Dependencies } from "../../ports/dependencies.ts";
import type { Caller } from "../use-case.ts";
import { addSignIn, makeRoom, type SignInPorts } from "./sign-in-apps.ts";

/** Seconds for which the tokens of an OAuth sign-in are accepted; the second from its last use. */
export const accessSeconds = 3600;
const refreshSeconds = 14 * 86_400;

/** The secrets of a sign-in, as its app gets them this once. */
export interface Tokens {
  access: string;
  /** The id of the sign-in, and the secret that is exchanged for new tokens. */
  refresh: { id: string; secret: string };
}

const toSecrets = (access: string, refresh: string, now: number): Secrets => ({
  secretHash: hashSecret(access),
  expiresAt: now + accessSeconds,
  refresh: { hash: hashSecret(refresh), expiresAt: now + refreshSeconds },
});

/** Signs an app in for a user whose account password it has sent. The oldest sign-in of that name makes room. */
export async function grantTokens(deps: SignInPorts, caller: Caller, name: string): Promise<Tokens> {
  const now = unixTime(deps.clock);
  await makeRoom(deps, caller, name);
  const [access, refresh] = [newSecret(), newSecret()];
  const { id } = await addSignIn(deps, caller, { name, ...toSecrets(access, refresh, now) });
  return { access, refresh: { id, secret: refresh } };
}

/**
 * Exchanges a refresh token for new tokens, which follow from it: two calls at once, and a call that is sent again because
 * its answer was lost, get the same. Throws `unauthorized` if it is wrong, was used before, or has expired.
 */
export async function renewTokens(
  deps: SignInPorts & Pick<Dependencies, "signatureKey">,
  { username, id, secret }: { username: string; id: string; secret: string },
): Promise<Tokens> {
  const now = unixTime(deps.clock);
  const derive = (use: string) =>
    deriveSecret(deps.signatureKey("refreshed tokens"), JSON.stringify([use, username, id, secret]));
  const [access, refresh] = [derive("access"), derive("refresh")];
  if (await deps.signIns.renew(username, id, hashSecret(secret), toSecrets(access, refresh, now), now)) {
    return { access, refresh: { id, secret: refresh } };
  }
  throw new ServiceError("unauthorized", "the refresh token is wrong or has expired; sign in again");
}
