import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { readSettings } from "@reading-list/functions/compose/settings.ts";
import { openEmbeddedDatabase } from "@reading-list/local/embedded-database.ts";
import { readLocalSettings } from "@reading-list/local/local-settings.ts";
import { createDocumentClient, type Table } from "@reading-list/store/client.ts";
import { listTableNames } from "@reading-list/store/table-inspection.ts";
import { CommandError, type Place } from "./failures.ts";

/** The options that name a command's table. */
export interface TableChoice {
  stage?: string;
  table?: string;
}

/** A table that a command works on. */
export interface OpenTable extends Table {
  place: Place;
  close(): Promise<void>;
}

type Environment = Record<string, string | undefined>;

/** SST's name for the table of a stage, without the random letters at its end. */
const deployedPrefix = (stage: string) => `reading-list-${stage}-ReadingListTable-`;

/** Opens the table of a deployed stage, of `DYNAMODB_ENDPOINT`, or of the data folder of `npm start`. */
export async function openTable(choice: TableChoice, env: Environment): Promise<OpenTable> {
  if (choice.stage !== undefined) return openDeployed(choice.stage, choice.table);
  const settings = readSettings(env);
  const tableName = choice.table ?? settings.tableName;
  if (settings.dynamodbEndpoint !== undefined) return openEndpoint(settings.dynamodbEndpoint, tableName);
  return openLocal(readLocalSettings(env).dataDir, tableName);
}

/**
 * Opens the table at a place that a command names: `stage:` and the name of a deployed stage, the URL of a DynamoDB, or
 * a data folder.
 */
export function openTableAt(place: string, table: string | undefined, env: Environment): Promise<OpenTable> {
  const [, stage] = /^stage:(.+)$/.exec(place) ?? [];
  const choice = { ...(stage !== undefined && { stage }), ...(table !== undefined && { table }) };
  const isUrl = /^https?:\/\//.test(place);
  return openTable(choice, {
    ...env,
    ...(isUrl ? { DYNAMODB_ENDPOINT: place } : { DYNAMODB_ENDPOINT: "", DATA_DIR: place }),
  });
}

async function openDeployed(stage: string, table: string | undefined): Promise<OpenTable> {
  const client = createDocumentClient();
  const close = async () => client.destroy();
  try {
    const tableName = table ?? readDeployedName(stage) ?? (await findDeployedName(stage, client));
    const remedy = "check --stage, --table, AWS_REGION and the account of the credentials";
    return { client, tableName, close, place: { description: `table ${tableName} of stage ${stage}`, remedy, stage } };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The table that the last `sst deploy` on this machine wrote down; undefined if that was of another stage. */
function readDeployedName(stage: string): string | undefined {
  try {
    const { tableName } = JSON.parse(readFileSync(path.join(".sst", "outputs.json"), "utf8"));
    return typeof tableName === "string" && tableName.startsWith(deployedPrefix(stage)) ? tableName : undefined;
  } catch {
    return undefined;
  }
}

async function findDeployedName(stage: string, client: Table["client"]): Promise<string> {
  const [name, ...others] = await listTableNames(client, deployedPrefix(stage));
  if (name === undefined) {
    throw new CommandError(
      `no table of a stage ${stage} was found; check --stage, AWS_REGION and the account, or name the table with --table`,
    );
  }
  if (others.length > 0) {
    throw new CommandError(
      `several tables of stage ${stage} were found (${[name, ...others].join(", ")}); name one with --table`,
    );
  }
  return name;
}

function openEndpoint(endpoint: string, tableName: string): OpenTable {
  const client = createDocumentClient(endpoint);
  const remedy = "start the service on it once, or check DYNAMODB_ENDPOINT and TABLE_NAME";
  const place = { description: `table ${tableName} at ${endpoint}`, remedy };
  return { client, tableName, place, close: async () => client.destroy() };
}

/** The embedded database: that of the running service, or one that is started for the command. */
async function openLocal(dataDir: string, tableName: string): Promise<OpenTable> {
  if (dataDir === ":memory:") {
    throw new CommandError("DATA_DIR is :memory:, which nobody but the service sees; name a folder");
  }
  const folder = path.resolve(dataDir);
  if (!existsSync(folder)) {
    throw new CommandError(
      `there is no local database in ${folder}; run npm start once, or name it with DATA_DIR or --stage`,
    );
  }
  const { endpoint, stop } = await openEmbeddedDatabase(folder, tableName);
  const { place: _, ...table } = openEndpoint(endpoint, tableName);
  const description = `table ${tableName} in ${folder}`;
  return {
    ...table,
    place: { description, remedy: "run npm start once, or check DATA_DIR and TABLE_NAME" },
    close: async () => {
      await table.close();
      await stop();
    },
  };
}
