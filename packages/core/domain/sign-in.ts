// SPDX-License-Identifier: MIT

import { createHash, createHmac, type KeyObject, randomBytes } from "node:crypto";

/**
 * The access of one app or device to a user's list: an app password, or the tokens of an OAuth sign-in (docs/data.md
 * 1.6). Times are unix seconds.
 */
export interface SignIn extends Secrets {
  /** Chosen by the service; identifies the sign-in to its user, and is not secret. */
  id: string;
  /** The name of the app or device, 1 to 60 characters. */
  name: string;
  scope: Scope;
  /** The only API that it opens, of a token of OAuth (RFC 8707); all if undefined. */
  audience?: string | undefined;
  createdAt: number;
  /** The start of the day (UTC) on which it was last used; 0 for never. */
  usedAt: number;
}

/** The scopes of app passwords: only `/feeds`; feeds and calls that change neither list nor account; the list. */
export const scopes = ["feed", "read", "full"] as const;

/** The scopes of sign-ins: an app that asks by OAuth for no access to the list sees only the `profile` of its user. */
export const signInScopes = [...scopes, "profile"] as const;

/**
 * `fresh`: a token for some minutes that stands for the account's password where the account is managed, and gives
 * access to nothing else. `code`: a code that a browser exchanges, once, after single sign-on. Neither is listed.
 */
const temporaryScopes = ["fresh", "code"] as const;

export type Scope = (typeof signInScopes)[number] | (typeof temporaryScopes)[number];

/** A scope of a newer version gives no access. */
const opened: Record<string, readonly Scope[]> = {
  full: signInScopes,
  read: ["read", "feed", "profile"],
  feed: ["feed"],
  profile: ["profile"],
  fresh: [],
  code: ["code"],
} satisfies Record<Scope, readonly Scope[]>;

/** Whether a sign-in with one scope has access to calls that need another. */
export const opens = (scope: Scope, needed: Scope): boolean => opened[scope]?.includes(needed) ?? false;

/** The hashes of the secrets that an app sends, and their expiry. An app password has only a secret. */
export interface Secrets {
  /** Hash of the app password or access token, as `storedHashes` has it. */
  secretHash: string;
  expiresAt?: number | undefined;
  /** The token that an app exchanges for new secrets. */
  refresh?: RefreshToken | undefined;
}

export interface RefreshToken {
  hash: string;
  expiresAt: number;
  /** The tokens before, newest first; the newest is accepted until then: the answer to its exchange may have been lost. */
  former?: { hashes: readonly string[]; until: number } | undefined;
}

/** Old refresh tokens that a sign-in remembers: if one is used later, someone else may have it. */
const formersKept = 8;

/** Seconds after its exchange in which a refresh token is accepted once more. */
const formerSeconds = 60;

/** Sign-ins of one user at most. */
export const maxSignIns = 50;

export const isTemporary = ({ scope }: Pick<SignIn, "scope">): boolean =>
  temporaryScopes.some((each) => each === scope);

/** The sign-ins that a user may have before another one. A user who has all of them can still manage the account. */
export const mostBefore = (added: Pick<SignIn, "scope">): number => maxSignIns + (isTemporary(added) ? 10 : 0);

/** The sign-in that a call is made with; undefined with the account's password, or a fresh token instead of it. */
export const callingSignIn = (
  signIn: Pick<SignIn, "id" | "scope"> | undefined,
): { signInId: string | undefined; scope: Scope } =>
  signIn && signIn.scope !== "fresh"
    ? { signInId: signIn.id, scope: signIn.scope }
    : { signInId: undefined, scope: "full" };

const alphabet = "abcdefghijklmnopqrstuvwxyz234567";
const writeBytes = (bytes: Buffer) => Array.from(bytes, (byte) => alphabet[byte % 32]).join("");
const randomText = (length: number) => writeBytes(randomBytes(length));

/** A new app password or token: 20 characters, 100 random bits. */
export const newSecret = () => randomText(20);
export const newSignInId = () => randomText(10);

/** A secret that follows from a text, for whoever has the key: 20 characters, 100 bits. */
export const deriveSecret = (key: KeyObject, text: string): string =>
  writeBytes(createHmac("sha256", key).update(text).digest().subarray(0, 20));

/** Whether a password has the form of an app password. */
export const isSecret = (password: string): boolean => /^[a-z2-7]{20}$/.test(password);

/** 132 bits of the SHA-256. The secret has 100 random bits, so one fast hash resists brute force. */
export const hashSecret = (secret: string): string =>
  createHash("sha256").update(secret).digest("base64url").slice(0, 22);

/** Version 0.2 accepts any secret whose hash it finds, and does not support scopes: it looks for hashes without the prefix. */
const limitedPrefix = "limited.";

const isLimited = ({ scope, audience, ...secrets }: Pick<SignIn, "scope" | "audience" | "expiresAt" | "refresh">) =>
  scope !== "full" || audience !== undefined || findExpiry(secrets) !== undefined;

/** The hashes under which a store may have a secret: one for an unlimited sign-in, one for a limited one. */
export const storedHashes = (secretHash: string) => [secretHash, limitedPrefix + secretHash] as const;

/** A sign-in, or its next secrets, with the hashes under which stores keep them. */
export function withStoredHashes<Given extends Secrets>(
  given: Given,
  { scope, audience }: Pick<SignIn, "scope" | "audience">,
): Given {
  if (!isLimited({ ...given, scope, audience })) return given;
  const { secretHash, refresh } = given;
  return {
    ...given,
    secretHash: limitedPrefix + secretHash,
    ...(refresh && { refresh: { ...refresh, hash: limitedPrefix + refresh.hash } }),
  };
}

const secondsOfDay = 86_400;

/** The start of the day (UTC). */
export const startOfDay = (now: number): number => now - (now % secondsOfDay);

/** Whether the secret of a sign-in is accepted. */
export const isAccepted = ({ expiresAt }: Pick<Secrets, "expiresAt">, now: number): boolean =>
  expiresAt === undefined || expiresAt > now;

/**
 * The secrets of a sign-in after the exchange of a refresh token; `revoked` if the token was exchanged too long ago, or
 * twice, so that someone else may have it; `refused` if it is wrong or has expired.
 */
export function exchange(
  signIn: Pick<SignIn, keyof Secrets | "scope" | "audience">,
  refreshHash: string,
  nextSecrets: Secrets,
  now: number,
): Secrets | "revoked" | "refused" {
  const { refresh } = signIn;
  const hash = storedHashes(refreshHash)[isLimited(signIn) ? 1 : 0];
  const next = withStoredHashes(nextSecrets, signIn);
  const { hashes = [], until: formerUntil = 0 } = refresh?.former ?? {};
  const renewed = (formers: readonly string[], until: number): Secrets => ({
    ...next,
    ...(next.refresh && { refresh: { ...next.refresh, former: { hashes: formers.slice(0, formersKept), until } } }),
  });
  if (refresh?.hash === hash) {
    return refresh.expiresAt > now ? renewed([hash, ...hashes], now + formerSeconds) : "refused";
  }
  if (!hashes.includes(hash)) return "refused";
  return hash === hashes[0] && now < formerUntil ? renewed(hashes, now) : "revoked";
}

/** When a sign-in ends for good; undefined if it never does, or its app renews its secrets. */
export const findExpiry = ({ expiresAt, refresh }: Pick<Secrets, "expiresAt" | "refresh">): number | undefined =>
  refresh ? undefined : expiresAt;

/** Whether an app cannot use the sign-in any more, not even to refresh it. */
export const isOver = ({ expiresAt, refresh }: Secrets, now: number): boolean =>
  !isAccepted({ expiresAt }, now) && (refresh === undefined || refresh.expiresAt <= now);
