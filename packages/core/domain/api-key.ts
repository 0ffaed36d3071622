import { createHash } from "node:crypto";

/** API keys are stored only as hashes. They are random, so a plain SHA-256 resists brute force. */
export const hashOfApiKey = (apiKey: string) => createHash("sha256").update(apiKey).digest("hex");
