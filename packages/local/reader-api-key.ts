// SPDX-License-Identifier: MIT

import { randomBytes } from "node:crypto";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { SetupError } from "@reading-list/core/errors.ts";
import { prepareDataFolder } from "./data-folder.ts";

/**
 * The API key of the web reader, from a file in the data folder, which the first start writes. Data in memory has a new
 * key at each start. Throws a SetupError if the folder or the file cannot be used.
 */
export function readReaderApiKey(dataDir: string): string {
  if (dataDir === ":memory:") return createKey();
  const file = path.join(prepareDataFolder(dataDir), "web-api-key");
  try {
    return readOrWrite(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new SetupError(`DATA_DIR: ${file} cannot be read or written (${code}); check its owner and mode`, error);
  }
}

const createKey = () => randomBytes(24).toString("base64url");

function readOrWrite(file: string): string {
  try {
    chmodSync(file, 0o600);
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    const created = createKey();
    writeFileSync(file, `${created}\n`, { mode: 0o600 });
    return created;
  }
}
