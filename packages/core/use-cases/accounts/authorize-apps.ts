// SPDX-License-Identifier: MIT

import { findAudience } from "../../contract/apis.ts";
import { parseBearerSecret } from "../../contract/bearer-secret.ts";
import {
  type Access,
  type Authorization,
  type AuthorizationRequest,
  beginCode,
  beginDeviceCode,
  isOpen,
  type Redemption,
  readAuthorizationRequest,
  readCode,
  readUserCode,
  redeem,
  toAuthorizingUser,
  wrongResource,
} from "../../domain/authorization.ts";
import { windowAt } from "../../domain/limits.ts";
import { type OAuthRefusal, openClientId, refuse } from "../../domain/oauth-client.ts";
import { hashSecret, newSecret, storedHashes } from "../../domain/sign-in.ts";
import { ServiceError, tooManyLogins } from "../../errors.ts";
import { unixTime } from "../../ports/clock.ts";
import type { Dependencies } from "../../ports/dependencies.ts";
import type { UserStore } from "../../ports/users.ts";
import { failLogin } from "../admission/admit-user.ts";
import type { AnyCaller, Caller } from "../use-case.ts";
import { clientIdKey } from "./register-client.ts";
import { addSignIn, makeRoom, type SignInPorts } from "./sign-in-apps.ts";

/** The ports of an authorization server. */
export type AuthorizationPorts = SignInPorts &
  Pick<Dependencies, "authorizations" | "signatureKey" | "keyWindows" | "loginAttempts"> & {
    users: Pick<UserStore, "find">;
  };

/** The resource that an app asks for (RFC 8707), and the address of the authorization server. */
interface AskedResource {
  resource?: string | undefined;
  address: string;
}

/** Reads a request at the authorization page. */
export const readRequest = (deps: Pick<Dependencies, "signatureKey">, request: AuthorizationRequest & AskedResource) =>
  readAuthorizationRequest(clientIdKey(deps), request, findAudience(request));

type ValidRequest = Extract<ReturnType<typeof readRequest>, { kind: "valid" }>;

/** An authorization code of a user who has agreed. */
export async function grantCode(
  { clock, authorizations }: AuthorizationPorts,
  { user }: Pick<Caller, "user">,
  clientId: string,
  { redirectUri, client, access, audience, challenge }: ValidRequest,
): Promise<string> {
  const asked = { client: hashSecret(clientId), clientName: client.name, access, audience };
  const { code, authorization } = beginCode({ ...asked, code: { redirectUri, challenge } }, unixTime(clock));
  await authorizations.add({ ...authorization, state: "granted", user: toAuthorizingUser(user) });
  return code;
}

/** Device codes for one address, and for all, in an hour: anyone can create these records. */
const devicesOfAddress = 60;
const devicesOfAll = 10_000;

/** A code for a device and a code for its user to enter; or the error of the request. */
export async function requestDeviceCode(
  deps: AuthorizationPorts,
  { address }: Pick<AnyCaller, "address">,
  { client_id: clientId = "", access, ...asked }: Pick<AuthorizationRequest, "client_id" | "access"> & AskedResource,
): Promise<{ deviceCode: string; authorization: Authorization } | { refusal: OAuthRefusal }> {
  const client = openClientId(clientIdKey(deps), clientId);
  if (!client) return { refusal: refuse("invalid_client", "client_id is not registered with this service") };
  if (typeof access !== "string") return { refusal: access };
  const audience = findAudience(asked);
  if (audience === undefined) return { refusal: wrongResource() };
  const now = unixTime(deps.clock);
  const window = windowAt(now, 3600);
  for (const [id, limit] of [
    [`device codes ${address}`, devicesOfAddress],
    ["device codes", devicesOfAll],
  ] as const) {
    const { counted } = await deps.keyWindows.countCall(id, window.start, limit, 1);
    const message = "too many devices are waiting for codes; try again later";
    if (!counted) throw new ServiceError("addressLimited", message, { retryAfter: window.end - now });
  }
  for (let attempt = 1; attempt <= 3; attempt++) {
    const device = { client: hashSecret(clientId), clientName: client.name, access, audience };
    const begun = beginDeviceCode(device, now);
    if (await deps.authorizations.add(begun.authorization)) return begun;
  }
  throw new ServiceError("busy", "too many devices are waiting for codes; try again", { retryAfter: 5 });
}

/** The name under which wrong user codes are counted, which no user can have. */
const userCodes = "user codes";

/**
 * The device that waits for the user's answer, by the code that the user has typed; undefined for an unknown code. Wrong codes
 * lock an address out as wrong passwords do (RFC 8628, 5.1). Throws `lockedOut`.
 */
export async function findDevice(
  { clock, authorizations, loginAttempts }: AuthorizationPorts,
  { address }: Pick<AnyCaller, "address">,
  typed: string,
): Promise<Authorization | undefined> {
  const now = unixTime(clock);
  const attempt = await loginAttempts.begin(userCodes, address, now);
  if (attempt.kind === "busy") throw tooManyLogins();
  if (attempt.kind === "lockedOut") {
    const message = "too many wrong codes from your address; wait before trying again";
    throw new ServiceError("lockedOut", message, { retryAfter: attempt.until - now });
  }
  const id = readUserCode(typed);
  const found = id === undefined ? undefined : await authorizations.find(id);
  if (found && isOpen(found, now)) {
    await attempt.undo();
    return found;
  }
  await failLogin(attempt);
  return undefined;
}

/** Stores the answer of a user to a device; undefined if the device does not wait any more. */
export async function answerDevice(
  deps: AuthorizationPorts,
  caller: AnyCaller,
  typed: string,
): Promise<Authorization | undefined> {
  const found = await findDevice(deps, caller, typed);
  if (!found) return undefined;
  const { user } = caller;
  const answered: Authorization = user
    ? { ...found, state: "granted", user: toAuthorizingUser(user) }
    : { ...found, state: "denied" };
  if (await deps.authorizations.replace(answered)) return answered;
  // The device has polled meanwhile.
  return answerDevice(deps, caller, typed);
}

/** The sign-in of an app, whose secret is shown this once. */
export interface IssuedToken {
  id: string;
  username: string;
  secret: string;
  access: Access;
}

/** Redeems a code for a sign-in, as `redeem` says. Throws `invalid` if the user has 50 sign-ins. */
export async function redeemCode(
  deps: AuthorizationPorts,
  { code, ...given }: Omit<Redemption, "secretHash" | "audience"> & AskedResource & { code: string },
): Promise<IssuedToken | { refusal: OAuthRefusal }> {
  const read = readCode(code);
  const stored = read && (await deps.authorizations.find(read.id));
  const audience = given.resource === undefined ? stored?.audience : findAudience(given);
  const redemption: Redemption = { ...given, audience, secretHash: read?.secretHash ?? "" };
  const { next, refusal } = redeem(stored, redemption, unixTime(deps.clock));
  // Another call has changed it meanwhile.
  if (next && !(await deps.authorizations.replace(next))) return redeemCode(deps, { code, ...given });
  if (next?.state === "revoked" && next.user) await deps.signIns.remove(next.user.username, next.signInId);
  if (refusal) return { refusal };
  const issued = next && (await addGranted(deps, next));
  return issued ?? { refusal: refuse("invalid_grant", "the password was changed meanwhile; sign in again") };
}

/** Adds the sign-in of an authorization; undefined if its user has another password now, or it was revoked meanwhile. */
async function addGranted(
  deps: AuthorizationPorts,
  { id, signInId, clientName: name, access, audience, user: granted }: Authorization,
): Promise<IssuedToken | undefined> {
  const user = granted && (await deps.users.find(granted.username));
  if (!user || user.userId !== granted.userId || hashSecret(user.passwordHash) !== granted.password) return undefined;
  const { username } = user;
  // The user's agreement was checked with the account's password.
  const caller = { user, signInId: undefined };
  const secret = newSecret();
  await makeRoom(deps, caller, name);
  await addSignIn(deps, caller, {
    id: signInId,
    name,
    scope: access,
    audience,
    secretHash: hashSecret(secret),
  });
  // Who came with the code once more did not find the sign-in yet.
  if ((await deps.authorizations.find(id))?.state === "used") return { id: signInId, username, secret, access };
  await deps.signIns.remove(username, signInId);
  return undefined;
}

/** Ends the sign-in of a token (RFC 7009); does nothing if it does not exist. */
export async function revokeToken({ signIns }: SignInPorts, token: string): Promise<void> {
  const bearer = parseBearerSecret(token);
  if (!bearer) return;
  const { username, password } = bearer;
  const hashes = storedHashes(hashSecret(password));
  const known = (await signIns.list(username)).find(({ secretHash }) => hashes.some((hash) => hash === secretHash));
  if (known) await signIns.remove(username, known.id);
}
