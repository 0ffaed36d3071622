// SPDX-License-Identifier: MIT

import { createSecretKey } from "node:crypto";
import { deriveSecret } from "./sign-in.ts";

/** The account of the synthetic user of a stage, whose calls show that the stage works. */
export interface ProbeAccount {
  username: string;
  /** An app password. */
  password: string;
  apiKey: string;
}

/** The account that follows from the secret of a stage. Nobody else can guess, or register, its name. */
export function deriveProbeAccount(secret: string): ProbeAccount {
  const key = createSecretKey(secret, "utf8");
  return {
    username: `probe-${deriveSecret(key, "name").slice(0, 12)}`,
    password: deriveSecret(key, "password"),
    apiKey: deriveSecret(key, "key"),
  };
}
