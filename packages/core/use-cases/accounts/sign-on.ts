// SPDX-License-Identifier: MIT

import { type Identity, proposedNames, type SignOnAccess } from "../../domain/identity.ts";
import { newSecret } from "../../domain/sign-in.ts";
import { diskIsFull, ServiceError } from "../../errors.ts";
import { unixTime } from "../../ports/clock.ts";
import type { Dependencies } from "../../ports/dependencies.ts";
import type { IdentityStore } from "../../ports/sign-ins.ts";
import type { User } from "../../ports/users.ts";
import type { SignInPorts } from "./sign-in-apps.ts";

/** The ports of single sign-on. */
export type SignOnPorts = SignInPorts &
  Pick<Dependencies, "passwords" | "signatureKey" | "isDiskFull"> & {
    identities: IdentityStore;
    /** `SIGNUP=open`, whether or not account passwords open anything. */
    isRegistrationOpen: boolean;
  };

const noUser = () =>
  new ServiceError(
    "signupClosed",
    "no user is linked to this identity, and sign-up is closed; ask the administrator for an invitation, or link it on the account page",
  );

/** The claims of a person do not allow a sign-in. */
export const notAllowed = () =>
  new ServiceError(
    "unauthorized",
    "your account at the single sign-on provider has no access here; ask the administrator",
    {
      code: "account_suspended",
    },
  );

/**
 * The user of an identity, if it has one. Stores the result of the claims. Throws `unauthorized`, and suspends the
 * user, if the claims do not allow access.
 */
export async function findAllowedUser(
  { identities }: Pick<SignOnPorts, "identities">,
  identity: Identity,
  access: SignOnAccess,
): Promise<User | undefined> {
  const user = await identities.find(identity);
  if (user) await identities.setAccess(user, access);
  if (!access.isAllowed) throw notAllowed();
  return user && { ...user, isSuspended: false };
}

/**
 * The user of an identity; a new one if signup is open, or with the hash of an invitation. The claims only propose the name.
 * Throws `signupClosed` if it makes none, and as `findAllowedUser` does.
 */
export async function findUserByIdentity(
  deps: SignOnPorts,
  identity: Identity,
  {
    claims,
    access,
    invitation,
  }: { claims: readonly (string | undefined)[]; access: SignOnAccess; invitation: string | undefined },
  address: string,
): Promise<User> {
  const known = await findAllowedUser(deps, identity, access);
  if (known) return known;
  if (invitation === undefined && !deps.isRegistrationOpen) throw noUser();
  if (deps.isDiskFull?.()) throw diskIsFull();
  // A random password, because such a user has no password.
  const passwordHash = await deps.passwords.hash(newSecret(), address);
  for (const username of proposedNames(claims)) {
    const user = { username, passwordHash, now: unixTime(deps.clock) };
    const outcome = await deps.identities.create(identity, user, invitation);
    if (outcome === "taken") continue;
    if (outcome === "gone") throw new ServiceError("signupClosed", "this invitation has been used or has expired");
    break;
  }
  const created = await findAllowedUser(deps, identity, access);
  if (!created) throw new ServiceError("unauthorized", "no free username was found", { code: "username_taken" });
  return created;
}
