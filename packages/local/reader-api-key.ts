import { randomBytes } from "node:crypto";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

/**
 * The API key of the web reader, from a file in the data folder, which the first start writes. Data in memory has a new
 * key at each start.
 */
export function readReaderApiKey(dataDir: string): string {
  const created = randomBytes(24).toString("base64url");
  if (dataDir === ":memory:") return created;
  const file = path.join(dataDir, "web-api-key");
  try {
    chmodSync(file, 0o600);
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    writeFileSync(file, `${created}\n`, { mode: 0o600 });
    return created;
  }
}
