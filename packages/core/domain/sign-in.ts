// SPDX-License-Identifier: MIT

import { createHash, randomBytes } from "node:crypto";

/**
 * The access of one app or device to a user's list: an app password, or the tokens of an OAuth sign-in (docs/data.md
 * 1.6). Times are unix seconds.
 */
export interface SignIn extends Secrets {
  /** Chosen by the service; names the sign-in to its user, and is no secret. */
  id: string;
  /** The name of the app or device, 1 to 60 characters. */
  name: string;
  createdAt: number;
  /** The start of the day (UTC) on which it was last used; 0 for never. */
  usedAt: number;
}

/** The hashes of what an app sends, and when they expire. An app password has a secret alone, which does not expire. */
export interface Secrets {
  /** Hash of the app password or access token, which is accepted wherever the account's password is. */
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

/** Former refresh tokens of a sign-in that are known: later use of one tells that somebody else may have it. */
const formersKept = 8;

/** Seconds after its exchange in which a refresh token is accepted once more. */
const formerSeconds = 60;

/** Sign-ins of one user at most. */
export const maxSignIns = 50;

const alphabet = "abcdefghijklmnopqrstuvwxyz234567";
const randomText = (length: number) => Array.from(randomBytes(length), (byte) => alphabet[byte % 32]).join("");

/** A new app password or token: 20 characters, 100 random bits. */
export const newSecret = () => randomText(20);
export const newSignInId = () => randomText(10);

/** Whether a password has the form of an app password. */
export const isSecret = (password: string): boolean => /^[a-z2-7]{20}$/.test(password);

/** 132 bits of the SHA-256. The secret has 100 random bits, so one fast hash resists brute force. */
export const hashOfSecret = (secret: string): string =>
  createHash("sha256").update(secret).digest("base64url").slice(0, 22);

const secondsOfDay = 86_400;

/** The start of the day (UTC). */
export const dayOf = (now: number): number => now - (now % secondsOfDay);

/** Whether the secret of a sign-in is accepted. */
export const isAccepted = ({ expiresAt }: Pick<Secrets, "expiresAt">, now: number): boolean =>
  expiresAt === undefined || expiresAt > now;

/**
 * The secrets of a sign-in after the exchange of a refresh token; `revoked` if the token was exchanged too long ago, or
 * twice, so that somebody else may have it; `refused` if it is wrong or has expired.
 */
export function exchange(
  { refresh }: Secrets,
  hash: string,
  next: Secrets,
  now: number,
): Secrets | "revoked" | "refused" {
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

/** Whether an app cannot use the sign-in any more, not even to refresh it. */
export const isOver = ({ expiresAt, refresh }: Secrets, now: number): boolean =>
  !isAccepted({ expiresAt }, now) && (refresh === undefined || refresh.expiresAt <= now);
