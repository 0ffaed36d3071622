// SPDX-License-Identifier: MIT

import { createCipheriv, createHmac, hash, timingSafeEqual } from "node:crypto";
import { isAccepted, type SignIn } from "@reading-list/core/domain/sign-in.ts";
import { unixTime } from "@reading-list/core/ports/clock.ts";
import type { SignInPorts } from "@reading-list/core/use-cases/accounts/sign-in-apps.ts";

/** A token as the file of a Kobo has it: AES-128-ECB under a key of the device's serial number, the device's own format. */
export function encryptToken(token: string, serial: string): string {
  const key = hash("sha256", `88b3a2e13${serial}`).slice(0, 16);
  const cipher = createCipheriv("aes-128-ecb", key, null);
  return cipher.update(token, "utf8", "base64") + cipher.final("base64");
}

const form = /^(?<username>[a-z0-9_-]{1,20})\.(?<id>[a-z0-9]{1,20})\.(?<signature>[\w-]{22})$/;

/** 132 bits of the stored hash of the secret. The signature reveals neither, and a restored database has the hash. */
const signSecret = ({ secretHash }: Pick<SignIn, "secretHash">) =>
  createHmac("sha256", secretHash).update("kobo store").digest("base64url").slice(0, 22);

/**
 * The token in the address of the shop's calls. It belongs to the sign-in of a device, and works for these calls only:
 * a device sends it in the path, which logs of proxies may hold.
 */
export const createStoreToken = (username: string, signIn: Pick<SignIn, "id" | "secretHash">): string =>
  `${username}.${signIn.id}.${signSecret(signIn)}`;

/** The user of a token whose sign-in is there; undefined otherwise. */
export async function findStoreUser({ clock, signIns }: SignInPorts, token: string): Promise<string | undefined> {
  const { username = "", id, signature = "" } = form.exec(token)?.groups ?? {};
  if (username === "") return undefined;
  const signIn = (await signIns.list(username)).find((each) => each.id === id);
  if (!signIn || !isAccepted(signIn, unixTime(clock))) return undefined;
  return timingSafeEqual(Buffer.from(signature), Buffer.from(signSecret(signIn))) ? username : undefined;
}
