// SPDX-License-Identifier: MIT

import { accessSync, chmodSync, constants, existsSync, mkdirSync, mkdtempSync, statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { SetupError } from "@reading-list/core/errors.ts";

/**
 * Creates the data folder, and returns its absolute path. Only its owner can read it; the mode of a folder that exists
 * is corrected. Throws a SetupError if it cannot be written.
 */
export function prepareDataFolder(dataDir: string): string {
  const folder = path.resolve(dataDir);
  try {
    makeFolder(folder);
    accessSync(folder, constants.W_OK);
    const { mode, uid } = statSync(folder);
    // The sticky bit marks a folder that several users share, such as /tmp.
    const isShared = (mode & 0o1000) !== 0 || uid !== process.geteuid?.();
    if (!isShared) chmodSync(folder, 0o700);
    return folder;
  } catch (error) {
    throw new SetupError(`DATA_DIR ${dataDir} cannot be written; name another folder`, error);
  }
}

/** A folder within the data folder, or a temporary one if data is kept in memory. */
export function openSubfolder(dataDir: string, name: string): { folder: string; removeFolder: () => Promise<void> } {
  if (dataDir !== ":memory:") return { folder: path.join(dataDir, name), removeFolder: async () => {} };
  const folder = mkdtempSync(path.join(tmpdir(), `reading-list-${name}-`));
  return { folder, removeFolder: () => rm(folder, { recursive: true, force: true }) };
}

/** One level after the other: Node's recursive mkdir never ends in a file system such as /proc, which reports ENOENT. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(path.dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
}
