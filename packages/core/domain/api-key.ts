// SPDX-License-Identifier: MIT

import { hash } from "node:crypto";

/** Characters of an API key. */
export const maxApiKey = 128;

/** API keys are stored only as hashes. They are random, so a plain SHA-256 resists brute force. */
export const hashOfApiKey = (apiKey: string) => hash("sha256", apiKey);
