import { closeSync, constants, copyFileSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { removeStagingFolder } from "./data-folder.ts";

/** Operations on the SQLite files of databases that do not run. */

/** Writes SQLite's log into the database file. The file then is the whole database, and can be renamed. */
export function mergeLog(file: string): void {
  const database = new DatabaseSync(file);
  try {
    database.exec("PRAGMA journal_mode = DELETE");
  } finally {
    database.close();
  }
}

/** Replaces the database file of a data folder by the one in its staging folder, all or nothing. */
export function replaceDatabase(folder: string, staging: string, fileName: string): void {
  const current = path.join(folder, fileName);
  mergeLog(path.join(staging, fileName));
  if (existsSync(current)) removeLog(current);
  renameSync(path.join(staging, fileName), current);
  syncFile(folder);
  removeStagingFolder(folder);
}

/** SQLite would apply the log of the old file to the new one. */
function removeLog(file: string): void {
  try {
    mergeLog(file);
  } catch {
    // A damaged database is replaced as well.
    for (const suffix of ["-wal", "-shm", "-journal"]) rmSync(file + suffix, { force: true });
  }
}

/** Copies the database file to `<name>-<label>.db` in its folder, or to the next free name; returns the copy's path. */
export function keepCopy(folder: string, staging: string, fileName: string, label: string): string {
  const current = path.join(folder, fileName);
  mergeLog(current);
  const unfinished = path.join(staging, "copy");
  copyFileSync(current, unfinished, constants.COPYFILE_FICLONE);
  syncFile(unfinished);
  const { name, ext } = path.parse(fileName);
  let copy = path.join(folder, `${name}-${label}${ext}`);
  for (let i = 2; existsSync(copy); i++) copy = path.join(folder, `${name}-${label}-${i}${ext}`);
  renameSync(unfinished, copy);
  return copy;
}

/** Waits until a file, or the names in a folder, would survive a power cut. */
export function syncFile(file: string): void {
  const descriptor = openSync(file, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
