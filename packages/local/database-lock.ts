import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { SetupError } from "@reading-list/functions/compose/environment.ts";

/**
 * `service`: commands may use its database, until it stops. `busy`: a command, or a service that starts. Others wait
 * for it, usually some seconds.
 */
type LockState = "service" | "busy";

/** The lock on the database of a data folder. The operating system releases it if this process dies. */
export interface DatabaseLock {
  /** Records the endpoint of the database, for processes that find the folder locked. */
  publish(endpoint: string, state: LockState): void;
  release(): void;
}

/** The service that holds the lock, with a database that answers. */
export interface RunningService {
  pid: number;
  endpoint: string;
}

/** The content of `database.json`, written by the holder of the lock. */
interface HolderRecord extends RunningService {
  /** Version 0.1.0 wrote `command` for `busy`. */
  holder: LockState | "command";
  /** Device and inode of the folder: a copy of the folder has another one. Version 0.1.0 did not write it. */
  folder?: string;
}

/** Milliseconds to wait until the holder is a service that answers, or releases the lock. */
const holderTimeout = 30_000;
/** Milliseconds in which a database stops after the process that started it has died. */
const stopTimeout = 3_000;

const recordFile = (folder: string) => path.join(folder, "database.json");

function folderIdentity(folder: string): string {
  const { dev, ino } = statSync(folder);
  return `${dev}:${ino}`;
}

/**
 * Locks the database of a folder for this process; waits up to 30 s for a busy holder. Returns the service that holds
 * the lock instead, if there is one. Throws a SetupError after 30 s.
 */
export async function lockDatabase(folder: string): Promise<DatabaseLock | RunningService> {
  const end = performance.now() + holderTimeout;
  for (;;) {
    const unlock = tryLock(folder);
    const record = readRecord(folder);
    if (unlock) {
      try {
        await untilPreviousStopped(folder, record);
        return createLock(folder, unlock);
      } catch (error) {
        unlock();
        throw error;
      }
    }
    if (record?.holder === "service" && (await answers(record.endpoint))) return record;
    if (performance.now() > end) {
      throw new SetupError(
        `DATA_DIR ${folder} is busy: process ${record?.pid ?? "unknown"} starts a service, converts the folder or runs a command; try again later`,
      );
    }
    await pause(100);
  }
}

/** The error of a process that needs the folder for itself. */
export const inUse = (folder: string, pid: number) =>
  new SetupError(`DATA_DIR ${folder} is in use by process ${pid}; stop it or name another folder`);

/**
 * Takes SQLite's exclusive lock on a separate file: the operating system releases it with the process, and it is on
 * the file itself, not on its copies. Undefined if another process holds it.
 */
function tryLock(folder: string): (() => void) | undefined {
  const name = path.join(folder, "database.lock");
  if (!existsSync(name)) writeFileSync(name, "", { mode: 0o600 });
  const file = new DatabaseSync(name, { timeout: 0 });
  try {
    file.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    return () => file.close();
  } catch (error) {
    file.close();
    const busy = 5;
    if ((error as { errcode?: number }).errcode === busy) return undefined;
    throw error;
  }
}

function createLock(folder: string, unlock: () => void): DatabaseLock {
  return {
    publish(endpoint, state) {
      const record: HolderRecord = { pid: process.pid, endpoint, holder: state, folder: folderIdentity(folder) };
      const draft = `${recordFile(folder)}.unfinished`;
      writeFileSync(draft, JSON.stringify(record), { mode: 0o600 });
      renameSync(draft, recordFile(folder));
    },
    release() {
      rmSync(recordFile(folder), { force: true });
      unlock();
    },
  };
}

/** What is published for this folder; undefined if that is nothing, or was copied from another folder. */
function readRecord(folder: string): HolderRecord | undefined {
  try {
    const record = JSON.parse(readFileSync(recordFile(folder), "utf8")) as HolderRecord;
    return record.folder === undefined || record.folder === folderIdentity(folder) ? record : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Waits until the database of the lock's previous holder has stopped. A service of version 0.1.0 does not lock the
 * folder: throws a SetupError if one runs.
 */
async function untilPreviousStopped(folder: string, record: HolderRecord | undefined): Promise<void> {
  const end = performance.now() + stopTimeout;
  while (record && (await answers(record.endpoint))) {
    if (performance.now() > end) {
      if (isAlive(record.pid)) throw inUse(folder, record.pid);
      return;
    }
    await pause(50);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Whether anything answers there, with any status. */
async function answers(endpoint: string): Promise<boolean> {
  try {
    await fetch(endpoint, { signal: AbortSignal.timeout(2000) });
    return true;
  } catch {
    return false;
  }
}
