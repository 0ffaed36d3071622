// SPDX-License-Identifier: MIT

import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";

/** An empty file in the data folder, whose time is the time of the last backup. */
const fileIn = (dataDir: string) => path.join(dataDir, "last-backup");

/** Notes that a backup was written now, for the metrics. A folder that cannot be written has a backup all the same. */
export function noteBackup(dataDir: string): void {
  try {
    writeFileSync(fileIn(dataDir), "", { mode: 0o600 });
  } catch {}
}

/** Unix seconds of the last backup; undefined before the first one. */
export function findLastBackup(dataDir: string): number | undefined {
  const found = statSync(fileIn(dataDir), { throwIfNoEntry: false });
  return found && found.mtimeMs / 1000;
}

/** Whether the verification key has not been shown yet, which the data folder records. */
export function isVerifyKeyNew(dataDir: string, key: string): boolean {
  const file = path.join(dataDir, "verify-key");
  try {
    if (existsSync(file) && readFileSync(file, "utf8").trim() === key) return false;
    writeFileSync(file, `${key}\n`, { mode: 0o600 });
  } catch {}
  return true;
}
