// SPDX-License-Identifier: MIT

import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/**
 * A link that an operator gives to a person, for one use: an invitation to register, or for the user who forgot the
 * password. Times are unix seconds.
 */
export interface OperatorLink {
  /** Chosen by the service; identifies the link to administrators, and is not secret. */
  id: string;
  secretHash: string;
  /** The user whose password it replaces; undefined for an invitation. */
  username?: string | undefined;
  createdAt: number;
  expiresAt: number;
}

/** Days for which a link works if the operator names none, and at most. */
export const daysOfLink = { default: 7, most: 30 };

/** 128 random bits. */
export const createLinkSecret = (): string => randomBytes(16).toString("base64url");

/** Nobody guesses 128 bits, so the hash needs no time and no salt. */
export const hashLinkSecret = (secret: string): string => createHash("sha256").update(secret).digest("hex");

/** Whether a text is the code that the log shows while there is no operator. */
export const isOperatorCode = (text: string, code: string | undefined): boolean =>
  code !== undefined && timingSafeEqual(Buffer.from(hashLinkSecret(text)), Buffer.from(hashLinkSecret(code)));

/** A page of the web reader. A secret is in the fragment, which no server and no proxy's log sees. */
const readerWith = (publicUrl: string, fragment: Record<string, string>): string =>
  `${publicUrl}/app/#${new URLSearchParams(fragment)}`;

export const writeLinkAddress = (publicUrl: string, secret: string, { username }: Pick<OperatorLink, "username">) =>
  readerWith(publicUrl, username === undefined ? { invitation: secret } : { reset: secret, user: username });

/** Where the first operator registers. */
export const writeCodeAddress = (publicUrl: string, code: string) => readerWith(publicUrl, { code });
