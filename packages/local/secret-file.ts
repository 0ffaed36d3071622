// SPDX-License-Identifier: MIT

import { randomBytes } from "node:crypto";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { SetupError } from "@reading-list/core/errors.ts";
import { prepareDataFolder } from "./data-folder.ts";

/**
 * A random text of 32 characters from a file in the data folder, which the first start writes. Data in memory has a new
 * one at each start. Throws a SetupError if the folder or the file cannot be used.
 */
export function readSecretFile(dataDir: string, name: string): string {
  if (dataDir === ":memory:") return createSecret();
  const file = path.join(prepareDataFolder(dataDir), name);
  try {
    return readOrWrite(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new SetupError(
      `DATA_DIR: ${file} cannot be read or written (${code}); check its owner and permissions`,
      error,
    );
  }
}

const createSecret = () => randomBytes(24).toString("base64url");

function readOrWrite(file: string): string {
  try {
    chmodSync(file, 0o600);
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    const created = createSecret();
    writeFileSync(file, `${created}\n`, { mode: 0o600 });
    return created;
  }
}
