// SPDX-License-Identifier: MIT

import { createHash } from "node:crypto";
import {
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { DatabaseSync, type SQLOutputValue } from "node:sqlite";
import { type ErasePermit, olderHalf } from "@reading-list/core/domain/clock-check.ts";
import { SetupError } from "@reading-list/core/errors.ts";
import { clockName } from "./clock-record.ts";
import { fileName, indexesName, readSchemaVersion } from "./database.ts";
import { DiskReserve } from "./disk-reserve.ts";
import { noteRestore } from "./restored-clocks.ts";
import { applicationId, migrations } from "./schema.ts";

/** Milliseconds to wait for the end of another process's transaction. */
const timeout = 10_000;

/** The list beside backups of the users who were deleted: a line for each `userId`. */
export const listName = "deleted-users.txt";
const listBeside = (file: string) => path.join(path.dirname(path.resolve(file)), listName);

/**
 * Writes the database of a folder to a file, as it is at one moment, also while the service runs. A file of that name is
 * replaced at the end. The list of deleted users beside it grows. Throws errors of the file system as they are, and a
 * SetupError if less than the reserve is free where the file will be (`diskReserve`, bytes; undefined: by the disk).
 */
export function backUp(folder: string, file: string, diskReserve?: number): void {
  requireRoom(file, diskReserve);
  const source = new DatabaseSync(path.join(folder, fileName), { readOnly: true, timeout });
  try {
    const deleted = deletedUsers(source, readList(file)) ?? [];
    writeWhole(listBeside(file), (unfinished) => writeFileSync(unfinished, deleted.map((id) => `${id}\n`).join("")));
    copy(source, file);
  } finally {
    source.close();
  }
}

/**
 * Replaces the database of a folder by a backup, all or nothing, without the users who were deleted since. The
 * replaced database, or the list beside the backup, names them; the service deletes them when it starts. Returns their
 * number; undefined if there is neither. The next sync of every client is a first one. Throws a SetupError if the file is not
 * an intact backup that this version can read, or a service uses the folder.
 */
export function restore(folder: string, file: string, now: number): number | undefined {
  const source = openBackup(file);
  try {
    const target = path.join(folder, fileName);
    let leftOut: number | undefined;
    copy(source, target, (unfinished) => {
      const { uid, gid } = statSync(folder);
      // Root restores for the user of the service.
      if (process.geteuid?.() === 0) chownSync(unfinished, uid, gid);
      takeAway(target);
      const replaced = readReplaced(target, readList(file), now);
      const restored = new DatabaseSync(unfinished);
      try {
        leftOut = replaced.deleted && leaveOut(restored, replaced.deleted, now);
        noteRestore(restored, { now, newest: replaced.newest });
        keepClock(restored, replaced.clock?.value);
      } finally {
        restored.close();
      }
    });
    // Indexes of another list.
    rmSync(path.join(folder, indexesName), { recursive: true, force: true });
    return leftOut;
  } finally {
    source.close();
  }
}

/** The facts that an administrator compares before a backup replaces anything. */
export interface BackupSummary {
  /** By name. */
  users: string[];
  operators: string[];
  /** Unix seconds; 0 without a backup. */
  newestChange: number;
}

/** The content of an intact backup. Throws like `restore`. */
export function summarize(file: string): BackupSummary {
  const source = openBackup(file);
  try {
    const rows = source.prepare("SELECT * FROM users WHERE deleting_since IS NULL ORDER BY username").all();
    return {
      users: rows.map(({ username }) => String(username)),
      operators: rows.filter(({ is_operator }) => Number(is_operator) > 0).map(({ username }) => String(username)),
      newestChange: Math.max(0, ...rows.map(({ changed_at }) => Number(changed_at))),
    };
  } finally {
    source.close();
  }
}

/** The file beside a backup with its SHA-256, as sha256sum writes it. */
const checksumBeside = (file: string) => `${path.resolve(file)}.sha256`;

function hashFile(file: string): string {
  const hash = createHash("sha256");
  const descriptor = openSync(file, "r");
  try {
    const part = Buffer.alloc(2 ** 20);
    for (let bytes = readSync(descriptor, part); bytes > 0; bytes = readSync(descriptor, part))
      hash.update(part.subarray(0, bytes));
  } finally {
    closeSync(descriptor);
  }
  return hash.digest("hex");
}

/** `backUp`, with a file beside it that has its checksum. */
export function backUpWithChecksum(folder: string, file: string, diskReserve?: number): void {
  requireRoom(file, diskReserve);
  const earlier = `${checksumBeside(file)}.earlier`;
  // A crash must not leave a new backup beside the checksum of the earlier one.
  if (existsSync(checksumBeside(file))) renameSync(checksumBeside(file), earlier);
  try {
    backUp(folder, file, diskReserve);
  } catch (error) {
    if (existsSync(earlier)) renameSync(earlier, checksumBeside(file));
    throw error;
  }
  rmSync(earlier, { force: true });
  const line = `${hashFile(file)}  ${path.basename(file)}\n`;
  writeWhole(checksumBeside(file), (unfinished) => writeFileSync(unfinished, line));
}

/** Whether there is a checksum beside a backup. Throws a SetupError if the backup has another one. */
export function verifyChecksum(file: string): boolean {
  const beside = checksumBeside(file);
  if (!existsSync(beside) || !existsSync(file)) return false;
  if (readFileSync(beside, "utf8").slice(0, 64) === hashFile(file)) return true;
  throw new SetupError(`${file} is damaged: its checksum differs from ${beside}; nothing was changed`);
}

/** Days for which a backup to a file of this machine is kept. */
const plainDays = 14;

/**
 * Deletes the backups in a folder that are older than 14 days, with their checksums, and files of interrupted backups;
 * at most the older half of them in one run. Other files stay, whatever their names. Returns the number of backups.
 */
export function pruneBackups(folder: string, { now }: ErasePermit): number {
  const files = readdirSync(folder).map((name) => path.join(folder, name));
  // Whole seconds like `now`: a backup written in this second is not one of the future.
  const readTime = (file: string) => Math.floor(statSync(file).mtimeMs / 1000);
  const isOld = (file: string) => readTime(file) < now - plainDays * 86_400;
  const times = new Map(files.filter(isBackup).map((file) => [file, readTime(file)]));
  const old = olderHalf([...times.keys()], (file) => times.get(file) ?? now, now).filter(isOld);
  const rest = files.filter((file) => /\.db\.unfinished(-journal)?$/.test(file) && isOld(file));
  for (const file of [...old.flatMap((each) => [each, checksumBeside(each)]), ...rest]) rmSync(file, { force: true });
  return old.length;
}

/** Whether a file is a database of this service that no process uses. */
function isBackup(file: string): boolean {
  if (!file.endsWith(".db") || !statSync(file).isFile() || existsSync(`${file}-wal`)) return false;
  const header = Buffer.alloc(72);
  const descriptor = openSync(file, "r");
  try {
    readSync(descriptor, header);
  } finally {
    closeSync(descriptor);
  }
  return header.toString("latin1", 0, 16) === "SQLite format 3\0" && header.readUInt32BE(68) === applicationId;
}

/** The ids of the list beside a backup; undefined if the list is missing. */
function readList(file: string): string[] | undefined {
  const list = listBeside(file);
  return existsSync(list) ? readFileSync(list, "utf8").split("\n").filter(Boolean) : undefined;
}

/**
 * The ids of the users whose deletion a database or a list names; undefined if there is no list, and the database is of
 * a version that had none. A user who was moved back counts as existing.
 */
function deletedUsers(database: DatabaseSync, listed: readonly string[] | undefined): string[] | undefined {
  if (!namesDeletions(database) && !listed) return undefined;
  const rows = database
    .prepare(
      `SELECT value AS id FROM json_each(:listed) WHERE value NOT IN (SELECT user_id FROM users WHERE deleting_since IS NULL)
       UNION SELECT user_id FROM users WHERE deleting_since IS NOT NULL
       ${namesDeletions(database) ? "UNION SELECT user_id FROM deleted_users" : ""}`,
    )
    .all({ listed: JSON.stringify(listed ?? []) });
  return rows.map(({ id }) => String(id));
}

const namesDeletions = (database: DatabaseSync) =>
  database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'deleted_users'").get() !== undefined;

/**
 * The same for a database that is replaced, which may be missing or damaged; the newest times of its lists, by user_id,
 * if they are after `now`; and its record of the clock.
 */
function readReplaced(file: string, listed: string[] | undefined, now: number) {
  const nothing = { deleted: listed, newest: {}, clock: undefined };
  if (!existsSync(file)) return nothing;
  try {
    const database = new DatabaseSync(file, { readOnly: true, timeout });
    try {
      const clock = database.prepare("SELECT value FROM settings WHERE name = :clockName").get({ clockName });
      return { deleted: deletedUsers(database, listed), newest: newestTimes(database, now), clock };
    } finally {
      database.close();
    }
  } catch {
    return nothing;
  }
}

/** The record of the clock belongs to this machine, not to the backup. */
function keepClock(restored: DatabaseSync, value: SQLOutputValue | undefined): void {
  if (value === undefined) return;
  restored.prepare("INSERT OR REPLACE INTO settings VALUES (:clockName, :value)").run({ clockName, value });
}

function newestTimes(database: DatabaseSync, now: number): Record<string, number> {
  const times = database
    .prepare("SELECT * FROM users")
    .all()
    .map(({ user_id, last_since, changed_at, highlights_at = 0, kept_at = 0 }): [string, number] => [
      String(user_id),
      // A database of an older version lacks columns.
      Math.max(...[last_since, changed_at, highlights_at, kept_at].map(Number)),
    ]);
  return Object.fromEntries(times.filter(([, time]) => time > now));
}

/** Starts the deletion of users in a database, and lists them there; returns how many of them the database has. */
function leaveOut(database: DatabaseSync, ids: readonly string[], now: number): number {
  const deleted = "SELECT value FROM json_each(:ids)";
  const parameters = { ids: JSON.stringify(ids) };
  if (namesDeletions(database)) database.prepare(`INSERT OR IGNORE INTO deleted_users ${deleted}`).run(parameters);
  const close = database.prepare(
    `UPDATE users SET password_hash = NULL, deleting_since = :now WHERE deleting_since IS NULL AND user_id IN (${deleted})`,
  );
  return Number(close.run({ ...parameters, now }).changes);
}

/** Throws a SetupError if the disk on which a backup would be written is full. */
function requireRoom(file: string, diskReserve: number | undefined): void {
  const place = path.dirname(path.resolve(file));
  if (!existsSync(place) || !new DiskReserve(place, diskReserve).isShort(0)) return;
  throw new SetupError(`the disk of ${place} is full, so no backup was started; free space first`);
}

/** Copies a database to one file that only its owner can read. It appears when it is whole and on the disk. */
const copy = (source: DatabaseSync, file: string, change = (_unfinished: string) => {}) =>
  writeWhole(file, (unfinished) => {
    source.prepare("VACUUM INTO ?").run(unfinished);
    change(unfinished);
  });

/** Writes or replaces a file that only its owner can read. It appears once it is complete and on the disk. */
function writeWhole(file: string, write: (unfinished: string) => void): void {
  const unfinished = path.resolve(`${file}.unfinished`);
  try {
    rmSync(unfinished, { force: true });
    // Fails if there is a link of that name.
    writeFileSync(unfinished, "", { mode: 0o600, flag: "wx" });
    write(unfinished);
    sync(unfinished);
    renameSync(unfinished, file);
    sync(path.dirname(path.resolve(file)));
  } finally {
    // SQLite leaves its journal on a full disk.
    for (const name of [unfinished, `${unfinished}-journal`]) rmSync(name, { force: true });
  }
}

/** Opens a backup that anyone may have changed. */
function openBackup(file: string): DatabaseSync {
  const refusal = (reason: string, cause?: unknown) =>
    new SetupError(`${file} is not an intact backup (${reason}); nothing was changed`, cause);
  if (!existsSync(file)) throw refusal("the file does not exist");
  let source: DatabaseSync | undefined;
  try {
    source = new DatabaseSync(file, { readOnly: true, timeout });
    source.exec("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON");
    const version = readSchemaVersion(source, file);
    if (version === 0) throw refusal("it is empty");
    if (readSchema(source) !== readSchemaOfVersion(version))
      throw refusal("it has tables, views or triggers that are not from this service");
    const { integrity_check: result } = source.prepare("PRAGMA integrity_check(1)").get() ?? {};
    if (result !== "ok") throw refusal(String(result));
    return source;
  } catch (error) {
    source?.close();
    throw error instanceof SetupError ? error : refusal((error as Error).message, error);
  }
}

/** All that is in the schema of a database, such as a trigger that would run with the service's writes. */
const readSchema = (database: DatabaseSync) =>
  JSON.stringify(database.prepare("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name").all());

function readSchemaOfVersion(version: number): string {
  const database = new DatabaseSync(":memory:");
  try {
    for (const step of migrations.slice(0, version)) database.exec(step);
    return readSchema(database);
  } finally {
    database.close();
  }
}

/** Takes the log of a database away, which SQLite would apply to the file that replaces it. */
function takeAway(file: string): void {
  if (!existsSync(file)) return;
  try {
    const current = new DatabaseSync(file);
    try {
      // Fails while another process has the database open.
      current.exec("PRAGMA journal_mode = DELETE");
    } finally {
      current.close();
    }
  } catch (error) {
    if ((error as { errcode?: number }).errcode === 5) {
      throw new SetupError(`${file} is in use; nothing was changed. Stop the service first`, error);
    }
    // A damaged database is replaced as well.
    for (const suffix of ["-wal", "-shm"]) rmSync(file + suffix, { force: true });
  }
}

/** Waits until a file, or the names in a folder, would survive a power cut. */
function sync(file: string): void {
  const descriptor = openSync(file, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
