// SPDX-License-Identifier: MIT

import { SetupError } from "@reading-list/core/errors.ts";
import { Decrypter, Encrypter } from "age-encryption";
import type { Content } from "./destination.ts";

/** Encrypts for the holder of a key (https://age-encryption.org/v1). Throws a SetupError unless it is a public key of age. */
export function createEncrypter(recipient: string): Encrypter {
  try {
    const encrypter = new Encrypter();
    encrypter.addRecipient(recipient);
    return encrypter;
  } catch (error) {
    throw new SetupError("BACKUP_RECIPIENT: must be the public key that age-keygen prints, such as age1…", error);
  }
}

/** Decrypts with the keys of a file of age-keygen. Throws a SetupError if it has none. */
export function createDecrypter(keys: string): Decrypter {
  const decrypter = new Decrypter();
  const identities = keys.split("\n").filter((line) => line.startsWith("AGE-SECRET-KEY-"));
  try {
    if (identities.length === 0) throw new Error("it has no line that begins with AGE-SECRET-KEY-");
    for (const identity of identities) decrypter.addIdentity(identity.trim());
    return decrypter;
  } catch (error) {
    throw new SetupError("the --identity file must be written by age-keygen and have a line AGE-SECRET-KEY-…", error);
  }
}

/** Throws a SetupError if the content is not for these keys, or was changed; the latter also while it is read. */
export async function decrypt(decrypter: Decrypter, content: Content, name: string): Promise<Content> {
  try {
    return (await decrypter.decrypt(content)) as Content;
  } catch (error) {
    throw new SetupError(`${name} cannot be decrypted with this key: ${(error as Error).message}`, error);
  }
}
