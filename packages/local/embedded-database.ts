import { SetupError } from "@reading-list/functions/compose/environment.ts";
import { createDocumentClient } from "@reading-list/store/client.ts";
import { convertFolder } from "./convert-folder.ts";
import { prepareDataFolder, protectDatabaseFiles, removeStagingFolder } from "./data-folder.ts";
import { type DatabaseLock, inUse, lockDatabase } from "./database-lock.ts";
import { type DatabaseProcess, startDatabase } from "./database-process.ts";
import { type DatabaseProgram, findDatabase } from "./database-program.ts";
import { isOutdated } from "./table.ts";

/**
 * Starts a database for a service. It keeps its data in `dataDir`, which it locks, or in memory if that is `:memory:`. If
 * `tableName` is given and version 0.1.0 wrote that table, the folder is converted first.
 *
 * Throws a SetupError if the folder cannot be written, another process uses it, a newer version wrote it, or no database
 * can be started.
 */
export async function startEmbeddedDatabase(
  dataDir: string,
  program: DatabaseProgram = findDatabase(),
  tableName?: string,
): Promise<DatabaseProcess> {
  if (dataDir === ":memory:") return startDatabase(program, undefined);
  const folder = prepareDataFolder(dataDir);
  const lock = await lockDatabase(folder);
  if ("endpoint" in lock) throw inUse(folder, lock.pid);
  return startLocked(folder, lock, program, async (start) => {
    let database = await start();
    if (tableName !== undefined && (await isFolderOutdated(database, folder, tableName))) {
      await convertFolder(folder, program, database, tableName);
      database = await start();
    }
    lock.publish(database.endpoint, "service");
    return database;
  });
}

/**
 * Opens the database of a folder that exists, for a command: that of the running service, or one started for the command.
 * Throws a SetupError as `startEmbeddedDatabase` does, and if version 0.1.0 wrote the table.
 */
export async function openEmbeddedDatabase(dataDir: string, tableName: string): Promise<DatabaseProcess> {
  const folder = prepareDataFolder(dataDir);
  const lock = await lockDatabase(folder);
  if ("endpoint" in lock) {
    await refuseOutdated(lock, folder, tableName);
    return { endpoint: lock.endpoint, stop: async () => {} };
  }
  return startLocked(folder, lock, findDatabase(), async (start) => {
    const database = await start();
    await refuseOutdated(database, folder, tableName);
    return database;
  });
}

/**
 * Prepares the database of a locked folder with `prepare`, which may start it more than once. If that fails, whatever was
 * started is stopped. The lock is released with the database.
 */
async function startLocked(
  folder: string,
  lock: DatabaseLock,
  program: DatabaseProgram,
  prepare: (start: () => Promise<DatabaseProcess>) => Promise<DatabaseProcess>,
): Promise<DatabaseProcess> {
  const started: DatabaseProcess[] = [];
  const stop = async () => {
    await Promise.all(started.map((database) => database.stop()));
    lock.release();
  };
  try {
    removeStagingFolder(folder);
    protectDatabaseFiles(folder);
    const { endpoint } = await prepare(async () => {
      const database = await startDatabase(program, folder, (endpoint) => lock.publish(endpoint, "busy"));
      started.push(database);
      return database;
    });
    return { endpoint, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function refuseOutdated(database: { endpoint: string }, folder: string, tableName: string): Promise<void> {
  if (await isFolderOutdated(database, folder, tableName)) {
    throw new SetupError(`DATA_DIR ${folder} was written by version 0.1.0; run npm start once, which converts it`);
  }
}

async function isFolderOutdated({ endpoint }: { endpoint: string }, folder: string, tableName: string) {
  const client = createDocumentClient(endpoint);
  try {
    return await isOutdated({ client, tableName }, `DATA_DIR ${folder}`);
  } finally {
    client.destroy();
  }
}
