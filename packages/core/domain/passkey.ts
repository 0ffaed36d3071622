// SPDX-License-Identifier: MIT

/** A passkey of a user. If a user has one, the account's password is not enough to sign in. */
export interface Passkey {
  /** Chosen by the authenticator, in base64url. */
  id: string;
  /** Chosen by the user, 1 to 60 characters. */
  name: string;
  /** A COSE key. */
  publicKey: Uint8Array;
  /** Number of signatures, if the authenticator counts them: a lower number later comes from a copy. */
  counter: number;
  /** The ways to the authenticator, such as `internal` or `usb`. */
  transports: readonly string[];
  /** Unix seconds. */
  createdAt: number;
  /** The start of the day (UTC) on which it was last used; 0 for never. */
  usedAt: number;
}

/** Passkeys of one user at most. */
export const maxPasskeys = 10;

/** Seconds in which an authenticator has to answer a challenge. */
export const challengeSeconds = 300;
