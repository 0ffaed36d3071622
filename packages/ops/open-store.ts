// SPDX-License-Identifier: MIT

import { existsSync } from "node:fs";
import path from "node:path";
import type { OperatorStore } from "@reading-list/core/ports/operator.ts";
import type { IndexObjects } from "@reading-list/core/ports/search.ts";
import { openObjects } from "@reading-list/local/folder-objects.ts";
import { readLocalSettings } from "@reading-list/local/local-settings.ts";
import { readSettings, type Settings } from "@reading-list/settings/settings.ts";
import { createBucket, createKeptBuckets, findBucket, type ObjectStore } from "@reading-list/store-dynamodb/bucket.ts";
import { createDocumentClient, type Table } from "@reading-list/store-dynamodb/client.ts";
import { checkDataVersion } from "@reading-list/store-dynamodb/data-version.ts";
import { createIndexObjects } from "@reading-list/store-dynamodb/index-objects.ts";
import { createOperatorStore } from "@reading-list/store-dynamodb/operator.ts";
import { listTableNames } from "@reading-list/store-dynamodb/table-inspection.ts";
import { Database, fileName } from "@reading-list/store-sqlite/database.ts";
import { DiskReserve } from "@reading-list/store-sqlite/disk-reserve.ts";
import { createOperatorStore as createSqliteStore } from "@reading-list/store-sqlite/operator.ts";
import { CommandError, type Place } from "./failures.ts";

/** The options that name a command's table. */
export interface StoreChoice {
  stage?: string;
  table?: string;
}

/** A database that a command works on. */
export interface OpenStore {
  store: OperatorStore;
  place: Place;
  /** Whether a service has created its tables. Throws a SetupError if that was another version. */
  hasData(): Promise<boolean>;
  /** Refuses writes while the disk has less than its reserve, for a command that only adds; does nothing on a table. */
  onlyAdd(): void;
  close(): Promise<void>;
}

type Environment = Record<string, string | undefined>;

/** SST's names for the table and the buckets of a stage, without the random letters at their ends. */
export const deployedPrefix = (stage: string) => `reading-list-${stage}-ReadingListTable-`;
export const bucketPrefix = (stage: string, folder = "articles") =>
  `reading-list-${stage}-${folder}bucket-`.toLowerCase();
export const indexBucketPrefix = (stage: string) => `reading-list-${stage}-indexesbucket-`.toLowerCase();

/** Opens the table of a deployed stage, of `STORE` or `DYNAMODB_ENDPOINT`, or of the data folder of `npm start`. */
export async function openStore(choice: StoreChoice, env: Environment): Promise<OpenStore> {
  if (choice.stage !== undefined) return openDeployed(choice.stage, choice.table);
  const settings = readSettings(env);
  const tableName = choice.table ?? settings.tableName;
  if (settings.store === "dynamodb") return openTableOfEnvironment({ ...settings, tableName });
  const { dataDir, diskReserve } = readLocalSettings(env);
  if (settings.dynamodbEndpoint !== undefined) return openEndpoint(settings.dynamodbEndpoint, tableName, dataDir);
  return openFolder(dataDir, diskReserve);
}

/**
 * Opens the table at a place that a command names: `stage:` and the name of a deployed stage, the URL of a DynamoDB, or
 * a data folder.
 */
export function openStoreAt(place: string, table: string | undefined, env: Environment): Promise<OpenStore> {
  const [, stage] = /^stage:(.+)$/.exec(place) ?? [];
  const choice = { ...(stage !== undefined && { stage }), ...(table !== undefined && { table }) };
  const isUrl = /^https?:\/\//.test(place);
  return openStore(choice, {
    ...env,
    ...(isUrl ? { DYNAMODB_ENDPOINT: place } : { DYNAMODB_ENDPOINT: "", DATA_DIR: place }),
    STORE: "",
  });
}

async function openDeployed(stage: string, table: string | undefined): Promise<OpenStore> {
  const client = createDocumentClient();
  try {
    const tableName = table ?? (await findDeployedName(stage, client));
    const remedy = "check --stage, --table, AWS_REGION and the account of the AWS credentials";
    const kept = createBucket((folder) => findBucket(bucketPrefix(stage, folder)));
    const indexes = createIndexObjects(() => findBucket(indexBucketPrefix(stage)));
    const place = { description: `table ${tableName} of stage ${stage}`, remedy, stage };
    return openTable({ client, tableName }, kept, place, indexes);
  } catch (error) {
    client.destroy();
    throw error;
  }
}

async function findDeployedName(stage: string, client: Table["client"]): Promise<string> {
  const [name, ...others] = await listTableNames(client, deployedPrefix(stage));
  if (name === undefined) {
    throw new CommandError(
      `no table of stage ${stage} was found; check --stage, AWS_REGION and the AWS account, or give the table with --table`,
    );
  }
  if (others.length > 0) {
    throw new CommandError(
      `several tables of stage ${stage} were found (${[name, ...others].join(", ")}); give one with --table`,
    );
  }
  return name;
}

/** The table and the buckets that a process with `STORE=dynamodb` uses. */
function openTableOfEnvironment({ tableName, dynamodbEndpoint, searchBucket, ...buckets }: Settings): OpenStore {
  const table = { client: createDocumentClient(dynamodbEndpoint), tableName };
  const remedy = "check TABLE_NAME, AWS_REGION and the account of the credentials";
  const indexes = createIndexObjects(async () => searchBucket);
  return openTable(table, createKeptBuckets(buckets), { description: `table ${tableName}`, remedy }, indexes);
}

function openEndpoint(endpoint: string, tableName: string, dataDir: string): OpenStore {
  const remedy = "start the service on it once, or check DYNAMODB_ENDPOINT and TABLE_NAME";
  const place = { description: `table ${tableName} at ${endpoint}`, remedy };
  const { objects, removeFolder } = openObjects(dataDir);
  const opened = openTable({ client: createDocumentClient(endpoint), tableName }, objects, place);
  return { ...opened, close: () => opened.close().then(removeFolder) };
}

const openTable = (table: Table, objects: ObjectStore, place: Place, indexes?: IndexObjects): OpenStore => ({
  store: createOperatorStore(table, objects, place, indexes),
  place,
  hasData: () => checkDataVersion(table, place.description),
  onlyAdd: () => {},
  close: async () => table.client.destroy(),
});

/** Opens the database of `npm start`, also while the service runs. */
function openFolder(dataDir: string, diskReserve: number | undefined): OpenStore {
  if (dataDir === ":memory:") {
    throw new CommandError("DATA_DIR is :memory:, which only the service itself can read; set it to a folder");
  }
  const folder = path.resolve(dataDir);
  if (!existsSync(path.join(folder, fileName))) {
    throw new CommandError(
      `no local database was found in ${folder}; run npm start once, or choose a database with DATA_DIR or --stage`,
    );
  }
  const database = Database.open(folder, undefined, new DiskReserve(folder, diskReserve));
  return {
    store: createSqliteStore(database),
    place: { description: `database in ${folder}`, remedy: "run npm start once, or check DATA_DIR" },
    hasData: async () => true,
    onlyAdd: () => {
      database.onlyAdds = true;
    },
    close: () => database.close(),
  };
}
