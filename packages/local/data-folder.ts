// SPDX-License-Identifier: MIT

import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  statSync,
} from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { SetupError } from "@reading-list/core/errors.ts";

/** SQLite's code for a lock that another connection holds. */
const busy = 5;

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
    throw new SetupError(`DATA_DIR ${dataDir} cannot be written; choose another folder`, error);
  }
}

const networkFileSystems = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xff534d42, "SMB"],
  [0xfe534d42, "SMB"],
]);

/** Throws a SetupError if the file system, by its type in Linux, is one of the network. */
export function checkFileSystem(dataDir: string, type: number | undefined): void {
  const name = networkFileSystems.get(type ?? 0);
  if (name === undefined) return;
  throw new SetupError(
    `DATA_DIR ${dataDir} is on ${name}, where file locks do not protect a database from damage; choose a folder on a local disk, or set NETWORK_DATA_DIR=allowed`,
  );
}

/**
 * Takes the lock of a data folder, which one service at a time holds; commands need none. The kernel releases it when the
 * process ends, also by SIGKILL, and it holds across the containers of a machine. Returns the function that releases it.
 * Throws a SetupError if another service has it.
 */
export function lockDataFolder(folder: string): () => void {
  const file = path.join(folder, "service-lock");
  let connection: DatabaseSync | undefined;
  try {
    // Only if it is new: to close another descriptor of the file would release the lock of this process.
    if (!existsSync(file)) closeSync(openSync(file, "a", 0o600));
    chmodSync(file, 0o600);
    connection = new DatabaseSync(file, { timeout: 0 });
    // Without a file for a journal.
    connection.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    return () => connection?.close();
  } catch (error) {
    connection?.close();
    const isBusy = (error as { errcode?: number }).errcode === busy;
    const reason = isBusy
      ? `is in use by another service; stop it, or choose another folder`
      : `cannot be locked with the file ${file}; check the file's owner and permissions`;
    throw new SetupError(`DATA_DIR ${folder} ${reason}`, error);
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
