// SPDX-License-Identifier: MIT

import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { ErasePermit } from "@reading-list/core/domain/clock-check.ts";
import type { ArticleStore } from "@reading-list/core/ports/articles.ts";
import { type Clock, unixTime } from "@reading-list/core/ports/clock.ts";
import type { Dependencies, Stores } from "@reading-list/core/ports/dependencies.ts";
import type { KeeperStore, KeptPageStore } from "@reading-list/core/ports/kept-pages.ts";
import type { OperatorStore, Storage } from "@reading-list/core/ports/operator.ts";
import type { PictureStore } from "@reading-list/core/ports/pictures.ts";
import type { PasskeyStore } from "@reading-list/core/ports/sign-ins.ts";
import { finishDeletions } from "@reading-list/core/use-cases/accounts/delete-user.ts";
import { eraseOldTrash } from "@reading-list/core/use-cases/lists/erase-trash.ts";
import { ClockGuard } from "@reading-list/core/use-cases/operator/clock-guard.ts";
import type { Settings } from "@reading-list/settings/settings.ts";
import { Database, removeOldCopies } from "@reading-list/store-sqlite/database.ts";
import { DiskReserve, type DiskSpace } from "@reading-list/store-sqlite/disk-reserve.ts";
import { deleteExpired } from "@reading-list/store-sqlite/operator.ts";
import { PictureFiles, picturesName } from "@reading-list/store-sqlite/picture-files.ts";
import { raiseToReserve, releaseReserve } from "@reading-list/store-sqlite/since-reserve.ts";
import { measureStorage } from "@reading-list/store-sqlite/storage.ts";
import { createStore } from "@reading-list/store-sqlite/store.ts";
import { checkFileSystem, lockDataFolder, openSubfolder, prepareDataFolder } from "./data-folder.ts";
import { findLastBackup } from "./last-backup.ts";
import { repeatWork } from "./repeat-work.ts";

/** The ports of a database on one machine. */
export type MachineStores = Stores &
  Pick<Dependencies, "isDiskFull"> & {
    articles: ArticleStore;
    pictureStore: PictureStore;
    keptPages: KeptPageStore;
    /** Undefined if nothing keeps pages in the background on it. */
    keeper: KeeperStore | undefined;
  };

const sweepIntervalMs = 2 * 3_600_000;

/** The database of a local service. */
export interface OpenStore {
  stores: MachineStores;
  /** Judges the clock of this machine. */
  clockGuard: ClockGuard;
  operator: OperatorStore;
  passkeys: PasskeyStore;
  /** Undefined if the database is not on this machine. */
  storage: (() => Storage) | undefined;
  /** Resolves if the database cannot be written durably any more: the process must end. */
  failure: Promise<Error>;
  close(): Promise<void>;
}

/** Where the database of one machine is, and how it uses its disk. */
export interface DatabaseSettings {
  dataDir: string;
  leavesCheckpoints: boolean;
  /** Whether the folder may be on NFS or SMB. */
  mayBeOnNetwork: boolean;
  /** Bytes; undefined: by the size of the disk. */
  diskReserve: number | undefined;
  /** Tests measure their own disk. */
  measureDisk?: (() => DiskSpace) | undefined;
}

/**
 * Opens the database in `dataDir`, or the DynamoDB of `DYNAMODB_ENDPOINT`; creates it if it does not exist. Throws a
 * SetupError if it cannot be used.
 */
export async function openStore(
  settings: Settings,
  local: DatabaseSettings,
  clock: Clock,
  wrapClient: (client: DynamoDBDocumentClient) => DynamoDBDocumentClient,
): Promise<OpenStore> {
  const { dynamodbEndpoint } = settings;
  if (dynamodbEndpoint === undefined) return openSqlite(settings, local, clock);
  // Loaded only if it is used: the AWS SDK.
  const { openDynamodb } = await import("./open-dynamodb.ts");
  return openDynamodb(settings, dynamodbEndpoint, local.dataDir, clock, wrapClient);
}

async function openSqlite(
  { defaultLimits }: Settings,
  { dataDir, leavesCheckpoints, mayBeOnNetwork, diskReserve, measureDisk }: DatabaseSettings,
  clock: Clock,
): Promise<OpenStore> {
  const folder = dataDir === ":memory:" ? undefined : prepareDataFolder(dataDir);
  const reserve = folder === undefined ? undefined : new DiskReserve(folder, diskReserve, measureDisk);
  if (!mayBeOnNetwork) checkFileSystem(dataDir, reserve?.measure().fileSystem);
  const unlock = folder === undefined ? () => {} : lockDataFolder(folder);
  let database: Database;
  try {
    database = Database.open(folder ?? dataDir, undefined, reserve);
  } catch (error) {
    unlock();
    throw error;
  }
  database.leavesCheckpoints = leavesCheckpoints;
  await database.saveAnew();
  database.keepReserve();
  await raiseToReserve(database);
  const pictureFolder = openSubfolder(dataDir, picturesName);
  const pictureFiles = new PictureFiles(database, pictureFolder.folder);
  const { operator, passkeys, ...stores } = createStore(database, defaultLimits, pictureFiles);
  const guard = new ClockGuard(operator.clock, clock, () => findLastBackup(dataDir));
  const ifPlausible = async (erase: (permit: ErasePermit) => Promise<void> | void) => {
    const permit = await guard.permit();
    if (permit) await erase(permit);
  };
  // On a full disk the run may not be remembered: then nothing is erased, and the service starts all the same.
  await ifPlausible((permit) => removeOldCopies(dataDir, permit)).catch(() => {});
  // Each on its own: a failing one, such as the deletion of a long list when the database is closed, stops no other.
  const stopTurns = [
    repeatWork(() => ifPlausible((permit) => deleteExpired(database, permit))),
    repeatWork(() => finishDeletions(stores.deletion, stores.articles, unixTime(clock))),
    repeatWork(() => ifPlausible((permit) => eraseOldTrash(stores, permit))),
    repeatWork(() => pictureFiles.noteLost(unixTime(clock)), sweepIntervalMs),
  ];
  // Not at the start: with a wrong DATA_DIR it would remove all files at once.
  const sweeping = setInterval(() => pictureFiles.sweep(guard.lastPermit).catch(() => {}), sweepIntervalMs).unref();
  const close = async () => {
    for (const stopTurn of stopTurns) stopTurn();
    clearInterval(sweeping);
    await database.save(() => releaseReserve(database)).catch(() => {});
    await database.close();
    await pictureFolder.removeFolder();
    unlock();
  };
  return {
    stores: { ...stores, isDiskFull: () => database.isDiskFull, erasePermit: () => guard.permit() },
    clockGuard: guard,
    operator,
    passkeys,
    storage: () => measureStorage(database),
    failure: database.failure,
    close,
  };
}
