import {
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { SetupError } from "@reading-list/core/errors.ts";
import { fileName, versionOf } from "./database.ts";
import { migrations } from "./schema.ts";

/** Milliseconds to wait for the end of another process's transaction. */
const timeout = 10_000;

/**
 * Writes the database of a folder to a file, as it is at one moment, also while the service runs. A file of that name is
 * replaced at the end. Throws errors of the file system as they are.
 */
export function backUp(folder: string, file: string): void {
  const source = new DatabaseSync(path.join(folder, fileName), { readOnly: true, timeout });
  try {
    copy(source, file);
  } finally {
    source.close();
  }
}

/**
 * Replaces the database of a folder by a backup, all or nothing. Throws a SetupError if the file is not an intact
 * backup that this version can read, or a service uses the folder.
 */
export function restore(folder: string, file: string): void {
  const source = openBackup(file);
  try {
    copy(source, path.join(folder, fileName), (unfinished) => {
      const { uid, gid } = statSync(folder);
      // Root restores for the user of the service.
      if (process.geteuid?.() === 0) chownSync(unfinished, uid, gid);
      takeAway(path.join(folder, fileName));
    });
  } finally {
    source.close();
  }
}

/** Copies a database to one file that only its owner can read. It appears when it is whole and on the disk. */
function copy(source: DatabaseSync, file: string, beforeRename = (_unfinished: string) => {}): void {
  const unfinished = path.resolve(`${file}.unfinished`);
  try {
    rmSync(unfinished, { force: true });
    // Fails if there is a link of that name.
    writeFileSync(unfinished, "", { mode: 0o600, flag: "wx" });
    source.prepare("VACUUM INTO ?").run(unfinished);
    sync(unfinished);
    beforeRename(unfinished);
    renameSync(unfinished, file);
    sync(path.dirname(path.resolve(file)));
  } finally {
    // SQLite leaves its journal on a full disk.
    for (const name of [unfinished, `${unfinished}-journal`]) rmSync(name, { force: true });
  }
}

/** Opens a backup of which nobody knows who has changed it. */
function openBackup(file: string): DatabaseSync {
  const refusal = (reason: string, cause?: unknown) =>
    new SetupError(`${file} is not an intact backup (${reason}); nothing was changed`, cause);
  if (!existsSync(file)) throw refusal("there is no such file");
  let source: DatabaseSync | undefined;
  try {
    source = new DatabaseSync(file, { readOnly: true, timeout });
    source.exec("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON");
    const version = versionOf(source, file);
    if (version === 0) throw refusal("it is empty");
    if (schemaOf(source) !== schemaOfVersion(version))
      throw refusal("it has tables, views or triggers that are not ours");
    const { integrity_check: result } = source.prepare("PRAGMA integrity_check(1)").get() ?? {};
    if (result !== "ok") throw refusal(String(result));
    return source;
  } catch (error) {
    source?.close();
    throw error instanceof SetupError ? error : refusal((error as Error).message, error);
  }
}

/** All that is in the schema of a database, such as a trigger that would run with the service's writes. */
const schemaOf = (database: DatabaseSync) =>
  JSON.stringify(database.prepare("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name").all());

function schemaOfVersion(version: number): string {
  const database = new DatabaseSync(":memory:");
  try {
    for (const step of migrations.slice(0, version)) database.exec(step);
    return schemaOf(database);
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
      throw new SetupError(`${file} is in use; stop the service first. Nothing was changed`, error);
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
