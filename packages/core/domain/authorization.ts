// SPDX-License-Identifier: MIT

import { hash, type KeyObject, randomInt } from "node:crypto";
import { isRedirectUri, type OAuthClient, type OAuthRefusal, openClientId, refuse } from "./oauth-client.ts";
import { hashSecret, newSecret, newSignInId, type Scope } from "./sign-in.ts";

/** The scope of a token. */
export type Access = Exclude<Scope, "feed" | "fresh" | "code">;

/**
 * An app's way to a sign-in (docs/data.md 1.11): an authorization code (RFC 6749, 4.1) or a device code (RFC 8628), until the
 * app has redeemed it. Times are unix seconds.
 */
export interface Authorization {
  /** The user code of a device; of an authorization code, 10 random characters. */
  id: string;
  /** Hash of the secret that only the app has. */
  secretHash: string;
  /** Hash of the client's id, and its name. */
  client: string;
  clientName: string;
  access: Access;
  /** The only API that the token opens. */
  audience: string;
  expiresAt: number;
  /**
   * The user has not answered yet; agreed; refused; the app has its token; it, or someone else, tried to get it again.
   */
  state: "pending" | "granted" | "denied" | "used" | "revoked";
  /** The redirect address and the PKCE challenge that an authorization code is bound to. */
  code?: { redirectUri: string; challenge: string };
  /** Polls with a device code: the least seconds between two, and the time of the last. */
  polling?: { interval: number; polledAt: number };
  /** The user who agreed. `password`: a hash of the stored password hash, so that a new password revokes earlier grants. */
  user?: { username: string; userId: string; password: string };
  /** The id of the sign-in. */
  signInId: string;
  /** For optimistic locking. */
  revision: number;
}

/** Seconds for which an app may redeem an authorization code. */
const codeSeconds = 60;
/** Seconds in which a user answers a device. */
export const deviceSeconds = 600;
const firstInterval = 5;
/** Seconds that each poll ahead of time adds to the interval (RFC 8628, 3.5), and the longest interval. */
const addedInterval = 5;
const longestInterval = 60;

/** Seconds for which an authorization is stored after its end, so that its app learns of it and late use of a stolen code is noticed. */
export const keptAfterEnd = 600;

/**
 * Letters of user codes, without vowels and letters that look like digits (RFC 8628, 6.1). 8 of them: 34 random bits.
 */
const letters = "BCDFGHJKLMNPQRSTVWXZ";
const newUserCode = () => Array.from({ length: 8 }, () => letters[randomInt(letters.length)]).join("");

/** A user code as a person reads it, such as `BCDF-GHJK`. */
export const showUserCode = (id: string): string => `${id.slice(0, 4)}-${id.slice(4)}`;

/** The id of a user code as a person types it; undefined if it cannot be one. */
export function readUserCode(typed: string): string | undefined {
  const id = typed.toUpperCase().replaceAll(/[^A-Z]/g, "");
  return new RegExp(`^[${letters}]{8}$`).test(id) ? id : undefined;
}

/** The id and the secret of a code; undefined if the code is not from this service. */
export function readCode(code: string): { id: string; secretHash: string } | undefined {
  const [, id, secret] = /^([a-z2-7]{10}|[A-Z]{8})\.([a-z2-7]{20})$/.exec(code) ?? [];
  return id === undefined || secret === undefined ? undefined : { id, secretHash: hashSecret(secret) };
}

type Asked = Pick<Authorization, "client" | "clientName" | "access" | "audience">;

function begin(id: string, seconds: number, asked: Asked, now: number) {
  const secret = newSecret();
  const times = { expiresAt: now + seconds, revision: 0 };
  return {
    secret: `${id}.${secret}`,
    begun: {
      id,
      secretHash: hashSecret(secret),
      ...asked,
      ...times,
      state: "pending",
      signInId: newSignInId(),
    } as const,
  };
}

/** A new device code, which waits for its user. */
export function beginDeviceCode(asked: Asked, now: number): { deviceCode: string; authorization: Authorization } {
  const { secret, begun } = begin(newUserCode(), deviceSeconds, asked, now);
  const polling = { interval: firstInterval, polledAt: now - firstInterval };
  return { deviceCode: secret, authorization: { ...begun, polling } };
}

/** A new authorization code. */
export function beginCode(
  asked: Asked & Required<Pick<Authorization, "code">>,
  now: number,
): { code: string; authorization: Authorization } {
  const { secret, begun } = begin(newSignInId(), codeSeconds, asked, now);
  return { code: secret, authorization: begun };
}

/** The user of an authorization, as it is stored. */
export const toAuthorizingUser = (user: { username: string; userId: string; passwordHash: string }) => ({
  username: user.username,
  userId: user.userId,
  password: hashSecret(user.passwordHash),
});

/** Whether a user can still answer. */
export const isOpen = ({ state, expiresAt }: Authorization, now: number): boolean =>
  state === "pending" && expiresAt > now;

const challengeForm = /^[A-Za-z0-9_-]{43}$/;
const verifierForm = /^[A-Za-z0-9._~-]{43,128}$/;

/** For a resource that is no API of this service (RFC 8707). */
export const wrongResource = () =>
  refuse("invalid_target", "resource must be the address of one of this service's APIs");

/** The parameters of a request at the authorization page. */
export interface AuthorizationRequest {
  client_id?: string | undefined;
  redirect_uri?: string | undefined;
  response_type?: string | undefined;
  /** The access that its scopes ask for, or why they ask for none. */
  access: Access | OAuthRefusal;
  code_challenge?: string | undefined;
  code_challenge_method?: string | undefined;
}

/**
 * A request that the user may answer, or its mistake. A page shows the mistake, because anyone can register an app that
 * redirects anywhere (RFC 9700, 4.11.2).
 */
export type ReadAuthorizationRequest =
  | { kind: "invalid"; refusal: OAuthRefusal }
  | { kind: "valid"; redirectUri: string; client: OAuthClient; access: Access; audience: string; challenge: string };

/** `audience`: see `findAudience`. */
export function readAuthorizationRequest(
  key: KeyObject,
  request: AuthorizationRequest,
  audience: string | undefined,
): ReadAuthorizationRequest {
  const invalid = (...refusal: Parameters<typeof refuse>) =>
    ({ kind: "invalid", refusal: refuse(...refusal) }) as const;
  const client = openClientId(key, request.client_id ?? "");
  if (!client) return invalid("invalid_client", "client_id is not registered with this service");
  const {
    redirect_uri: redirectUri = "",
    response_type: responseType = "code",
    code_challenge: challenge = "",
  } = request;
  if (!client.redirectUris.includes(redirectUri))
    return invalid("invalid_request", "redirect_uri is not registered for this app");
  // The id of a client that an earlier version has issued may have any scheme.
  if (!isRedirectUri(redirectUri))
    return invalid("invalid_request", "redirect_uri has a scheme that this service does not allow");
  if (responseType !== "code") return invalid("unsupported_response_type", "response_type must be code");
  // Without a challenge a stolen code could be redeemed; `plain` is the default of RFC 7636, and shows the verifier.
  if (request.code_challenge_method !== "S256") return invalid("invalid_request", "code_challenge_method must be S256");
  if (!challengeForm.test(challenge))
    return invalid("invalid_request", "code_challenge must be a SHA-256 in base64url without padding");
  const { access } = request;
  if (typeof access !== "string") return { kind: "invalid", refusal: access };
  if (audience === undefined) return { kind: "invalid", refusal: wrongResource() };
  return { kind: "valid", redirectUri, client, access, audience, challenge };
}

/** A redirect with parameters; undefined ones are left out. */
export function addToRedirect(redirectUri: string, parameters: Record<string, string | undefined>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, value);
  return `${redirectUri}${redirectUri.includes("?") ? "&" : "?"}${query}`;
}

/** The parameters with which an app redeems a code. */
export interface Redemption {
  kind: "code" | "device";
  secretHash: string;
  clientId?: string | undefined;
  redirectUri?: string | undefined;
  verifier?: string | undefined;
  /** The audience that the app asks for, which it need not repeat; undefined for none of this service. */
  audience: string | undefined;
}

/**
 * Whether an app gets its token; `next` is stored first. If an app redeems a code a second time, it gets nothing and
 * the sign-in ends, because one of the two has stolen the code (RFC 6749, 4.1.2). A caller that cannot prove that it is
 * the app does not end the sign-in.
 */
export function redeem(
  stored: Authorization | undefined,
  given: Redemption,
  now: number,
): { next?: Authorization; refusal?: OAuthRefusal } {
  const wrong = refuse("invalid_grant", "the code is wrong, has expired or has been used; sign in again");
  if (!stored || stored.secretHash !== given.secretHash) return { refusal: wrong };
  if ((given.kind === "code") !== (stored.code !== undefined)) return { refusal: wrong };
  if (given.clientId !== undefined && hashSecret(given.clientId) !== stored.client)
    return { refusal: refuse("invalid_grant", "the code was issued to another client_id") };
  if (given.audience !== stored.audience) return { refusal: wrongResource() };
  if (stored.code) {
    const { redirectUri, challenge } = stored.code;
    if (given.redirectUri !== undefined && given.redirectUri !== redirectUri)
      return { refusal: refuse("invalid_grant", "the code was issued for another redirect_uri") };
    const { verifier = "" } = given;
    if (!verifierForm.test(verifier))
      return { refusal: refuse("invalid_request", "code_verifier must be 43 to 128 letters, digits and -._~") };
    if (hash("sha256", verifier, "base64url") !== challenge)
      return { refusal: refuse("invalid_grant", "code_verifier does not match the code_challenge") };
  }
  const { state, polling } = stored;
  if (state === "used" || state === "revoked") return { next: { ...stored, state: "revoked" }, refusal: wrong };
  if (stored.expiresAt <= now)
    return { refusal: polling ? refuse("expired_token", "the user did not answer in time; start again") : wrong };
  if (state === "denied") return { refusal: refuse("access_denied", "the user denied access") };
  if (state === "granted") return { next: { ...stored, state: "used" } };
  const { interval = 0, polledAt = now } = polling ?? {};
  const isEarly = now < polledAt + interval;
  const slower = isEarly ? Math.min(interval + addedInterval, longestInterval) : interval;
  return {
    next: { ...stored, polling: { interval: slower, polledAt: now } },
    refusal: isEarly
      ? refuse("slow_down", `wait ${slower} seconds between two calls`)
      : refuse("authorization_pending", "the user has not answered yet"),
  };
}
