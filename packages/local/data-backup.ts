import { existsSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import { SetupError } from "@reading-list/functions/compose/environment.ts";
import { createDocumentClient } from "@reading-list/store/client.ts";
import { findDataVersion } from "@reading-list/store/data-version.ts";
import { makeStagingFolder, prepareDataFolder, removeStagingFolder } from "./data-folder.ts";
import { mergeLog, replaceDatabase, syncFile } from "./database-file.ts";
import { inUse, lockDatabase } from "./database-lock.ts";
import { startDatabase } from "./database-process.ts";
import { type DatabaseProgram, findDatabase } from "./database-program.ts";
import { isOutdated } from "./table.ts";

/**
 * Writes the database of a data folder to a file, as it is at one moment, also while the service runs. A file of that
 * name is replaced at the end. Throws a SetupError if there is no database, and errors of the file system as they are.
 */
export async function backUpDatabase(dataDir: string, file: string): Promise<void> {
  const program = findDatabase();
  const database = path.join(path.resolve(dataDir), program.fileName);
  if (!existsSync(database)) {
    throw new SetupError(
      `there is no local database in ${path.dirname(database)}; run npm start once, or check DATA_DIR`,
    );
  }
  const lock = await lockDatabase(prepareDataFolder(dataDir));
  const unfinished = `${file}.unfinished`;
  try {
    rmSync(unfinished, { force: true });
    writeFileSync(unfinished, "", { mode: 0o600 });
    await copyDatabase(database, unfinished);
    syncFile(unfinished);
    renameSync(unfinished, file);
    syncFile(path.dirname(file));
  } finally {
    rmSync(unfinished, { force: true });
    if ("release" in lock) lock.release();
  }
}

/**
 * Replaces the database of a data folder by a backup, atomically; returns its data version. Throws a SetupError if a
 * service uses the folder, or the file is not an intact database that this version can read.
 */
export async function restoreDatabase(
  dataDir: string,
  file: string,
  tableName: string,
): Promise<{ outdated: boolean }> {
  const program = findDatabase();
  const folder = prepareDataFolder(dataDir);
  const lock = await lockDatabase(folder);
  if ("endpoint" in lock) throw inUse(folder, lock.pid);
  try {
    const staging = makeStagingFolder(folder);
    const copy = path.join(staging, program.fileName);
    writeFileSync(copy, "", { mode: 0o600 });
    await copyDatabase(file, copy).catch((error) => {
      throw new SetupError(
        `${file} is not an intact database (${(error as Error).message}); nothing was changed`,
        error,
      );
    });
    const outdated = await examine(program, staging, file, tableName);
    replaceDatabase(folder, staging, program.fileName);
    return { outdated };
  } finally {
    removeStagingFolder(folder);
    lock.release();
  }
}

/** Pages that one step copies. Between two steps a write of another process would restart the copy. */
const allPages = 2 ** 31 - 1;

/** Makes a consistent copy of a database in one file, also while other processes write to it. */
async function copyDatabase(from: string, to: string): Promise<void> {
  const source = new DatabaseSync(from, { readOnly: true, timeout: 10_000 });
  try {
    await backup(source, to, { rate: allPages });
  } finally {
    source.close();
  }
  mergeLog(to);
  const copy = new DatabaseSync(to, { readOnly: true });
  try {
    const { quick_check: result } = copy.prepare("PRAGMA quick_check(1)").get() ?? {};
    if (result !== "ok") throw new Error(String(result));
  } finally {
    copy.close();
  }
}

/** Starts the database on a copied file, as a service would; whether version 0.1.0 wrote its table. */
async function examine(program: DatabaseProgram, folder: string, file: string, tableName: string): Promise<boolean> {
  const { endpoint, stop } = await startDatabase(program, folder);
  const table = { client: createDocumentClient(endpoint), tableName };
  try {
    if ((await findDataVersion(table)) === undefined) {
      throw new SetupError(`${file} has no table ${tableName}; check the file and TABLE_NAME. Nothing was changed`);
    }
    return await isOutdated(table, file);
  } finally {
    table.client.destroy();
    await stop();
  }
}
