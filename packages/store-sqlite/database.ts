// SPDX-License-Identifier: MIT

import fs, {
  chmodSync,
  closeSync,
  existsSync,
  globSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from "node:sqlite";
import { setImmediate } from "node:timers";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
import { retries } from "@reading-list/core/call-scope.ts";
import { backupDays } from "@reading-list/core/contract/delete_account.ts";
import type { ErasePermit } from "@reading-list/core/domain/clock-check.ts";
import { keyLines } from "@reading-list/core/domain/condition-sql.ts";
import { toSite } from "@reading-list/core/domain/hosts.ts";
import { tagsIn } from "@reading-list/core/domain/tags.ts";
import { diskIsFull, ServiceError, SetupError } from "@reading-list/core/errors.ts";
import type { CheckpointError, CheckpointMode } from "./checkpoint-thread.ts";
import { DiskReserve } from "./disk-reserve.ts";
import { moveRestoredClocks } from "./restored-clocks.ts";
import { applicationId, migrations } from "./schema.ts";

const fdatasync = promisify((file: number, done: fs.NoParamCallback) => fs.fdatasync(file, done));

export type Row = Record<string, SQLOutputValue>;
export type Tuple = SQLOutputValue[];
export type Parameters = Record<string, SQLInputValue>;

/** A statement, which takes its parameters in the order of `names` and returns arrays: Node is slow with named values. */
interface Prepared {
  statement: StatementSync;
  names: readonly string[];
  toRow: (tuple: Tuple) => Row;
}

/** Compiles a literal of the columns: an object that is filled by names becomes a slow dictionary from 20 columns on. */
function compileRow(columns: readonly { name: string }[]): Prepared["toRow"] {
  const values = columns.map(({ name }, i) => `${JSON.stringify(name)}: tuple[${i}]`);
  return new Function("tuple", `return { ${values.join(", ")} };`) as Prepared["toRow"];
}

/** Numbers the named parameters of a statement, outside of its texts. */
function numberParameters(sql: string): { sql: string; names: string[] } {
  const names: string[] = [];
  const numbered = sql.replaceAll(/'[^']*'|:(\w+)/g, (text, name?: string) => {
    if (name === undefined) return text;
    if (!names.includes(name)) names.push(name);
    return `?${names.indexOf(name) + 1}`;
  });
  return { sql: numbered, names };
}

const inOrder = (names: readonly string[], parameters: Parameters): SQLInputValue[] =>
  names.map((name) => parameters[name] as SQLInputValue);

/** A column that may be NULL, as a number. */
export const optional = (value: SQLOutputValue | undefined) => (value == null ? undefined : Number(value));

/** The text of a column that has JSON, or NULL. */
export const toJson = (value: unknown) => (value === undefined ? null : JSON.stringify(value));

const joinColumns = (values: object, of: (name: string) => string) => Object.keys(values).map(of).join(", ");

/** An INSERT of these columns, whose values are its parameters; and the assignments of an UPDATE. */
export const writeInsert = (table: string, values: Parameters) =>
  `INSERT INTO ${table} (${joinColumns(values, (name) => name)}) VALUES (${joinColumns(values, (name) => `:${name}`)})`;
export const assignAll = (values: Parameters) => joinColumns(values, (name) => `${name} = :${name}`);

/** A column that may be NULL, parsed as JSON. */
export const parseJson = (value: SQLOutputValue | undefined) => (value == null ? undefined : JSON.parse(String(value)));

/** Pages that the log may have before a checkpoint, and the commits after which they are counted. */
const maxLogPages = 2000;
const commitsPerCount = 10;
/** Milliseconds after which a transaction that calls share takes no further write: those wait for the next turn. */
const maxTransactionMs = 12;
const pageSize = 4096;
/** Milliseconds after which the idle thread of checkpoints ends: it takes 10 MB. */
const idleMs = 60_000;
/** The log takes no larger share of a small disk. */
const logShareOfDisk = 1 / 16;

/** The name of the database in its data folder. */
export const fileName = "reading-list.db";

/** The folder of the search indexes beside the database. */
export const indexesName = "search";

/**
 * A connection to the database. Statements run synchronously, in microseconds. A commit is not synced to disk by itself
 * (`synchronous=NORMAL`): `save` waits until the log is synced, which happens in a separate thread; all commits made
 * meanwhile share the next sync (group commit).
 */
export class Database {
  readonly #connection: DatabaseSync;
  readonly #statements = new Map<string, Prepared>();
  /** The values that `remember` keeps, and the version of the data when it read them. */
  readonly #remembered = new Map<string, unknown>();
  #version: SQLOutputValue | undefined;
  #isVersionRead = false;
  /** The file descriptor of the log; undefined for a database in memory. */
  readonly #log: number | undefined;
  /** The path, or `:memory:`. */
  readonly file: string;
  /** Whether another program, such as Litestream, empties the log. */
  leavesCheckpoints = false;
  /** Whether every write adds data, as in an import: below the reserve such writes are refused. */
  onlyAdds = false;
  #checkpoints: Worker | undefined;
  #rest: NodeJS.Timeout | undefined;
  #commits = 0;
  /** The work of the next transaction. */
  #waiting: { work: () => unknown; resolve: (outcome?: { result: unknown }) => void }[] = [];
  /** The current or last sync, and the next one. */
  #sync: Promise<void> | undefined;
  #nextSync: Promise<void> | undefined;
  #syncError: Error | undefined;
  /** Undefined for a database in memory. */
  readonly #reserve: DiskReserve | undefined;
  readonly #maxLogPages: number;
  /** Whether this process keeps the reserve's ballast: the service does, commands do not. */
  #keepsReserve = false;
  #isCheckpointUnderWay = false;
  /** Work that a full disk has put off: it goes with the next transaction. */
  #owed: (() => void) | undefined;
  readonly #failure = Promise.withResolvers<Error>();
  /**
   * Resolves if a sync has failed. The process must end then: Linux marks the unwritten pages as written, so a later
   * sync proves nothing. Until then nothing is written, because a checkpoint would write data into the database file
   * that the log lacks after a power cut.
   */
  readonly failure: Promise<Error> = this.#failure.promise;

  private constructor(file: string, connection: DatabaseSync, reserve: DiskReserve | undefined) {
    this.file = file;
    this.#connection = connection;
    this.#reserve = reserve;
    const share = reserve ? (reserve.measure().size * logShareOfDisk) / pageSize : maxLogPages;
    this.#maxLogPages = Math.min(maxLogPages, share);
    this.#log = file === ":memory:" ? undefined : openSync(`${file}-wal`, "r+");
  }

  /**
   * Opens the database of a folder, or one in memory (`:memory:`), and creates or migrates it. Throws a SetupError if
   * the file is another one, or a newer version wrote it. On a full disk it opens in the space of the reserve.
   */
  static open(folder: string, steps = migrations, reserve = openReserve(folder)): Database {
    const file = folder === ":memory:" ? folder : path.join(folder, fileName);
    const connection = connectInReserve(file, steps, reserve);
    try {
      return new Database(file, connection, reserve);
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  /** The rows that a statement returns. */
  all(sql: string, parameters: Parameters = {}): Row[] {
    return this.tuples(sql, parameters).map(this.#prepare(sql).toRow);
  }

  /** The rows that a statement returns, as arrays of columns: for many rows that takes a quarter less time. */
  tuples(sql: string, parameters: Parameters = {}): Tuple[] {
    const { statement, names } = this.#prepare(sql);
    return statement.all(...inOrder(names, parameters)) as unknown as Tuple[];
  }

  /** The first row that a statement returns. */
  get(sql: string, parameters: Parameters = {}): Row | undefined {
    const { statement, names, toRow } = this.#prepare(sql);
    const tuple = statement.get(...inOrder(names, parameters)) as unknown as Tuple | undefined;
    return tuple && toRow(tuple);
  }

  /** Runs a statement; returns the number of rows that it has changed. */
  run(sql: string, parameters: Parameters = {}): number {
    const { statement, names } = this.#prepare(sql);
    return Number(statement.run(...inOrder(names, parameters)).changes);
  }

  /**
   * Calls `read` once for a name, and keeps its value until another process writes to the database or this one calls
   * `forget`. It does not keep undefined.
   */
  remember<T>(name: string, read: () => T): T {
    if (!this.#isVersionRead) this.#readVersion();
    const known = this.#remembered.get(name) as T | undefined;
    if (known !== undefined) return known;
    const found = read();
    if (found !== undefined) this.#remembered.set(name, found);
    return found;
  }

  /** Other reads of this step of a call need not read the version again. */
  #readVersion(): void {
    const version = this.get("PRAGMA data_version")?.data_version;
    if (version !== this.#version) this.forget();
    this.#version = version;
    this.#isVersionRead = true;
    queueMicrotask(() => {
      this.#isVersionRead = false;
    });
  }

  /** Forgets what `remember` knows; for transactions that change a part of it. */
  forget(): void {
    this.#remembered.clear();
  }

  /**
   * Runs `work` in a transaction. Transactions survive the end of this process, but the last ones may not survive a
   * power cut. While another process writes, it waits without blocking this one; throws `unavailable` at the call's
   * deadline, and `diskFull` without any space. `mayBeLost`: for counts, which are not stored in that case, so that
   * reading still works. `work` may run more than once, and in the scope of another call (call-scope.ts): it only reads
   * and writes the database.
   */
  async write<T>(work: () => T, { mayBeLost = false } = {}): Promise<T> {
    const shared = await this.#shareTransaction(work);
    if (shared) return shared.result;
    for await (const _ of retries()) {
      if (this.#syncError) throw this.#syncError;
      if (this.onlyAdds && this.isDiskFull) throw diskIsFull();
      let outcome: { result: T } | undefined;
      try {
        if (!this.#begin()) continue;
        this.#owed?.();
        const result = work();
        outcome = { result };
        this.run("COMMIT");
        this.#tidyAfterCommit();
        return result;
      } catch (error) {
        this.#rollBack();
        if (!this.#reserve?.isCauseOf(error)) throw error;
        if (this.#reserve.spend()) continue;
        if (outcome && mayBeLost) return outcome.result;
        throw diskIsFull(error);
      }
    }
    throw new ServiceError("unavailable", "the database is busy; try again", { retryAfter: 1 });
  }

  /**
   * Runs `work` in one transaction with the other writes of this turn of the event loop: the counts of key and user of
   * all calls that arrive together share one. Undefined if any of them fails: then nothing is written, and each runs by
   * itself.
   */
  #shareTransaction<T>(work: () => T): Promise<{ result: T } | undefined> {
    const { promise, resolve } = Promise.withResolvers<{ result: T } | undefined>();
    if (this.#waiting.push({ work, resolve: resolve as (outcome?: { result: unknown }) => void }) === 1) {
      setImmediate(() => this.#writeWaiting());
    }
    return promise;
  }

  #writeWaiting(): void {
    const end = performance.now() + maxTransactionMs;
    let outcomes: { result: unknown }[] | undefined;
    try {
      if (!this.#syncError && !this.onlyAdds && this.#begin()) {
        this.#owed?.();
        const results: { result: unknown }[] = [];
        for (const { work } of this.#waiting) {
          results.push({ result: work() });
          if (performance.now() > end) break;
        }
        this.run("COMMIT");
        outcomes = results;
        this.#tidyAfterCommit();
      }
    } catch {
      this.#rollBack();
    }
    const ended = this.#waiting.splice(0, outcomes?.length ?? this.#waiting.length);
    for (const [index, { resolve }] of ended.entries()) resolve(outcomes?.[index]);
    if (this.#waiting.length > 0) setImmediate(() => this.#writeWaiting());
  }

  #tidyAfterCommit(): void {
    this.#owed = undefined;
    if (this.#refillReserve()) this.#beginCheckpoint("TRUNCATE");
    else if (++this.#commits % commitsPerCount === 0) this.#checkpoint();
  }

  /** SQLite has rolled back by itself after some errors, such as a full disk. */
  #rollBack(): void {
    if (this.#connection.isOpen && this.#connection.isTransaction) this.#connection.exec("ROLLBACK");
  }

  /** Runs `work` in a transaction that survives a power cut. */
  async save<T>(work: () => T): Promise<T> {
    const result = await this.write(work);
    this.#nextSync ??= this.#beginSync();
    await this.#nextSync;
    return result;
  }

  /** Saves data that no later transaction may precede; on a disk without any space, together with the first of them. */
  async saveFirst(work: () => void): Promise<void> {
    try {
      await this.save(work);
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      const others = this.#owed;
      this.#owed = () => {
        others?.();
        work();
      };
    }
  }

  /** Keeps the ballast of the reserve from now on. */
  keepReserve(): void {
    this.#keepsReserve = true;
    this.#reserve?.refill();
  }

  /** The bytes that are free on the disk; undefined for a database in memory. */
  get diskFree(): number | undefined {
    return this.#reserve?.measure().free;
  }

  /** Whether less is free than the reserve: then nothing may be added. */
  get isDiskFull(): boolean {
    if (!this.#reserve) return false;
    const { log, checkpointed } = this.#countLog();
    const isFull = this.#reserve.isShort((log - checkpointed) * pageSize);
    // The log may hold the space that is lacking.
    if (isFull && log > 0) this.#beginCheckpoint("TRUNCATE");
    return isFull;
  }

  /** Waits for the syncs under way, so that no answer rests on a change that a power cut could take back. */
  async untilSaved(): Promise<void> {
    await (this.#nextSync ?? this.#sync);
  }

  /**
   * Makes everything durable that an earlier process has written, although its last sync may have failed: writes the log
   * once more, then into the database file, and syncs both. A long transaction of another process leaves a part in the log.
   */
  async saveAnew(): Promise<void> {
    const log = this.#log;
    if (log === undefined) return;
    // A sync writes only pages that were changed since the failed one. The lock keeps other processes from writing.
    await this.write(() => writeSync(log, readFileSync(`${this.file}-wal`), 0, null, 0)).catch((error) => {
      // A copy-on-write file system has no space for it.
      if (!isDiskFull(error)) throw error;
    });
    fs.fsyncSync(log);
    this.emptyLog();
    fs.fsyncSync(log);
    for (const name of [this.file, path.dirname(this.file)]) {
      const opened = openSync(name, "r");
      fs.fsyncSync(opened);
      closeSync(opened);
    }
  }

  /** Writes the log into the database file and empties it, unless another process uses it now or the disk is full. */
  emptyLog(): void {
    for (;;) {
      try {
        this.#connection.exec("PRAGMA wal_checkpoint(TRUNCATE)");
        return;
      } catch (error) {
        if (!this.#reserve?.isCauseOf(error)) throw error;
        if (!this.#reserve.spend()) return;
      }
    }
  }

  async close(): Promise<void> {
    await this.#endThread();
    await this.untilSaved().catch(() => {});
    // The last connection makes a checkpoint when it is closed.
    if (this.#syncError) return;
    this.#connection.close();
    if (this.#log !== undefined) closeSync(this.#log);
    if (this.#keepsReserve) this.#reserve?.refill();
  }

  #prepare(sql: string): Prepared {
    const known = this.#statements.get(sql);
    if (known) return known;
    const { sql: numbered, names } = numberParameters(sql);
    const statement = this.#connection.prepare(numbered);
    statement.setReturnArrays(true);
    const prepared = { statement, names, toRow: compileRow(statement.columns()) };
    this.#statements.set(sql, prepared);
    return prepared;
  }

  /** Restores the ballast after a write. True if it is not complete then: the log may contain the rest. */
  #refillReserve(): boolean {
    if (this.#keepsReserve && this.#reserve?.isUsedUp) this.#reserve.refill();
    return this.#reserve?.isUsedUp === true;
  }

  #begin(): boolean {
    try {
      this.run("BEGIN IMMEDIATE");
      return true;
    } catch (error) {
      if (isBusy(error)) return false;
      throw error;
    }
  }

  async #beginSync(): Promise<void> {
    await this.#sync;
    this.#sync = this.#nextSync;
    this.#nextSync = undefined;
    if (this.#log === undefined) return;
    try {
      await fdatasync(this.#log);
    } catch (error) {
      this.#fail(error as Error);
      throw error;
    }
  }

  /** Empties a long log, in a thread, because that waits for the disk. */
  #checkpoint(): void {
    if (this.#log !== undefined && this.#countLog().log >= this.#maxLogPages) this.#beginCheckpoint("RESTART");
  }

  /** The pages of the log, and how many of them are in the database file. */
  #countLog(): { log: number; checkpointed: number } {
    const { log, checkpointed } = this.get("PRAGMA wal_checkpoint(NOOP)") ?? {};
    return { log: Math.max(Number(log), 0), checkpointed: Math.max(Number(checkpointed), 0) };
  }

  #beginCheckpoint(mode: CheckpointMode): void {
    if (this.leavesCheckpoints || this.#isCheckpointUnderWay) return;
    if (!this.#checkpoints) {
      this.#checkpoints = new Worker(new URL("./checkpoint-thread.ts", import.meta.url), { workerData: this.file });
      this.#checkpoints.on("message", (error: CheckpointError | undefined) => this.#endCheckpoint(error));
      this.#checkpoints.on("error", (error) => this.#fail(error));
      this.#checkpoints.unref();
    }
    clearTimeout(this.#rest);
    this.#isCheckpointUnderWay = true;
    this.#checkpoints.postMessage(mode);
  }

  async #endThread(): Promise<void> {
    clearTimeout(this.#rest);
    const ended = this.#checkpoints;
    this.#checkpoints = undefined;
    await ended?.terminate();
  }

  /**
   * A full disk is not a failed sync: the log still has everything, and the next checkpoint begins where this one
   * ended.
   */
  #endCheckpoint(error: CheckpointError | undefined): void {
    this.#isCheckpointUnderWay = false;
    this.#rest = setTimeout(() => this.#endThread(), idleMs).unref();
    // The space of the log is free again: the ballast takes it before other programs do.
    if (!error) this.#refillReserve();
    else if (!this.#reserve?.isCauseOf(error)) this.#fail(new Error(error.message));
    else if (this.#reserve.spend()) this.#beginCheckpoint("TRUNCATE");
  }

  #fail(error: Error): void {
    this.#syncError = error;
    this.#failure.resolve(error);
  }
}

const isBusy = (error: unknown) => readResultCode(error) === 5;

/** Whether a write failed because no space is left, not even the reserve. */
const isDiskFull = (error: unknown) => error instanceof ServiceError && error.kind === "diskFull";

const openReserve = (folder: string) => (folder === ":memory:" ? undefined : new DiskReserve(folder));

/** SQLite's result code, without the details of extended codes. */
const readResultCode = (error: unknown) => ((error as { errcode?: number } | undefined)?.errcode ?? 0) % 256;

/** Opens a file, on a full disk in the space of the reserve: the first connection writes an index of the log. */
function connectInReserve(file: string, steps: readonly string[], reserve: DiskReserve | undefined): DatabaseSync {
  for (;;) {
    try {
      return connect(file, steps);
    } catch (error) {
      const { cause } = error as Error;
      const isFull = cause !== undefined && (readResultCode(cause) === 14 || reserve?.isCauseOf(cause));
      if (!isFull || !reserve?.spend()) throw error;
    }
  }
}

/** Facts of an item that conditions compare and no column has; see `list-query.ts`. */
const factFunctions = {
  tag_keys: (tags: SQLOutputValue) => keyLines(tagsIn(String(tags ?? ""))),
  site_of: (url: SQLOutputValue) => toSite({ url: String(url) }),
};

/** Opens a file with the settings of every connection, and brings it to the present version. */
function connect(file: string, steps: readonly string[]): DatabaseSync {
  let connection: DatabaseSync | undefined;
  try {
    if (file !== ":memory:") {
      if (!existsSync(file)) writeFileSync(file, "", { flag: "wx", mode: 0o600 });
      // Root works on the files of another user, who could have put links in their places. SQLite gives its log the
      // same mode and owner.
      const names = process.geteuid?.() === statSync(file).uid ? [file, `${file}-wal`, `${file}-shm`] : [];
      for (const name of names) if (existsSync(name)) chmodSync(name, 0o600);
    }
    requireSqlite(process.versions.sqlite);
    connection = new DatabaseSync(file, { timeout: 10_000 });
    connection.exec("PRAGMA trusted_schema = OFF; PRAGMA secure_delete = ON");
    for (const [name, fact] of Object.entries(factFunctions)) connection.function(name, fact);
    const version = readSchemaVersion(connection, file, steps.length);
    connection.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0");
    if (version < steps.length) migrate(connection, file, steps);
    moveRestoredClocks(connection);
    // The log exists from the first transaction on.
    connection.exec("BEGIN IMMEDIATE; COMMIT");
    // From now on `write` waits, without blocking the process.
    connection.exec("PRAGMA busy_timeout = 0");
    return connection;
  } catch (error) {
    connection?.close();
    throw error instanceof SetupError ? error : new SetupError(explain(error, file), error);
  }
}

/** The first version without a fault that can damage a database with a log (sqlite.org/wal.html, "WAL-reset bug"). */
const oldestSqlite = "3.51.3";

/** Throws a SetupError for a version of SQLite that can damage a database. */
export function requireSqlite(version = "0"): void {
  if (version.localeCompare(oldestSqlite, "en", { numeric: true }) >= 0) return;
  throw new SetupError(
    `Node ${process.version} has SQLite ${version}, which can damage a database; use a Node version with SQLite ${oldestSqlite} or later, such as the one that npm ci installs`,
  );
}

const explain = (error: unknown, file: string) =>
  readResultCode(error) === 26 || readResultCode(error) === 11
    ? `${file} is damaged or is not a database; restore a backup (readinglist restore), or choose another DATA_DIR`
    : `DATA_DIR: ${file} cannot be opened (${(error as Error).message}); check its owner, permissions and free space`;

const pragma = (connection: DatabaseSync, name: string) =>
  Number(Object.values(connection.prepare(`PRAGMA ${name}`).get() ?? {})[0]);

/** The version of the schema; 0 for an empty file. Throws a SetupError if the file is not for this version. */
export function readSchemaVersion(connection: DatabaseSync, file: string, newest = migrations.length): number {
  const version = pragma(connection, "user_version");
  const { tables } = connection.prepare("SELECT count(*) AS tables FROM sqlite_schema").get() as { tables: number };
  if (tables === 0) return 0;
  if (pragma(connection, "application_id") !== applicationId) {
    throw new SetupError(
      `${file} is not a SQLite database of this service. If an older version wrote it, start the database that wrote it, choose another DATA_DIR, and copy the lists with readinglist move --all --from URL-OF-THAT-DATABASE --to DATA_DIR`,
    );
  }
  if (version <= newest) return version;
  throw new SetupError(
    `${file} has version ${version} of the schema, and this version of the service reads up to ${newest}; install the newer version`,
  );
}

/** The name of the copy that a migration from `version` makes. */
const copyName = (file: string, version: number | string) => `${file.slice(0, -".db".length)}-version-${version}.db`;

/** Removes the copies that migrations have made more than 35 days ago: they have users who were deleted since. */
export function removeOldCopies(folder: string, { now }: ErasePermit): void {
  if (folder === ":memory:") return;
  for (const name of globSync(copyName(fileName, "*"), { cwd: folder })) {
    const copy = path.join(folder, name);
    if (statSync(copy).mtimeMs / 1000 < now - backupDays * 86_400) rmSync(copy, { force: true });
  }
}

/** Migrates a database in one transaction; copies a database with data first. */
function migrate(connection: DatabaseSync, file: string, steps: readonly string[]): void {
  const before = readSchemaVersion(connection, file, steps.length);
  if (before > 0) {
    const copy = copyName(file, before);
    writeFileSync(copy, "", { mode: 0o600 });
    connection.prepare("VACUUM INTO ?").run(copy);
    console.error(`migrating ${file} from version ${before} to ${steps.length}; a copy of it is ${copy}`);
  }
  connection.exec("BEGIN EXCLUSIVE");
  try {
    // Another process may have migrated it meanwhile.
    for (const step of steps.slice(readSchemaVersion(connection, file, steps.length))) connection.exec(step);
    connection.exec(`PRAGMA user_version = ${steps.length}; PRAGMA application_id = ${applicationId}; COMMIT`);
  } catch (error) {
    if (connection.isTransaction) connection.exec("ROLLBACK");
    throw error;
  }
}
