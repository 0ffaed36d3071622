// SPDX-License-Identifier: MIT

import { createHash, createHmac, type KeyObject, timingSafeEqual } from "node:crypto";

/** A kept picture of a user, whoever asks for it, until `expires` in unix seconds. */
export interface PictureAddress {
  userId: string;
  hash: string;
  expires: number;
}

/** The name of a stored picture: SHA-256 in hexadecimal. */
export const hashPicture = (content: Uint8Array) => createHash("sha256").update(content).digest("hex");

const week = 604_800;

/** Within one week, every address of a picture is the same; it works for another week. */
export const chooseExpiry = (now: number): number => (Math.floor(now / week) + 2) * week;

const signAddress = (key: KeyObject, { userId, hash, expires }: PictureAddress) =>
  createHmac("sha256", key)
    .update(JSON.stringify([userId, hash, expires]))
    .digest("base64url");

/** The query string of the address of a picture. */
export const signPicture = (key: KeyObject, address: PictureAddress): string =>
  String(
    new URLSearchParams({
      user: address.userId,
      picture: address.hash,
      expires: String(address.expires),
      signature: signAddress(key, address),
    }),
  );

/** The address that a query string has; undefined if it was not signed by this service, or has expired. */
export function readPictureAddress(key: KeyObject, query: string, now: number): PictureAddress | undefined {
  const parameters = new URLSearchParams(query);
  const [userId = "", hash = "", expires = "", signature = ""] = ["user", "picture", "expires", "signature"].map(
    (name) => parameters.get(name) ?? "",
  );
  const address = { userId, hash, expires: Number(expires) };
  const [given, expected] = [Buffer.from(signature), Buffer.from(signAddress(key, address))];
  const isSigned = given.length === expected.length && timingSafeEqual(given, expected);
  return isSigned && address.expires > now ? address : undefined;
}
