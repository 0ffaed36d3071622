import { spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants, existsSync, mkdirSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import {
  CreateTableCommand,
  ListTablesCommand,
  ResourceInUseException,
  UpdateTimeToLiveCommand,
} from "@aws-sdk/client-dynamodb";
import { SetupError } from "@reading-list/functions/compose/environment.ts";
import { createDocumentClient, type Table } from "@reading-list/store/client.ts";
import { createTableInput, tableDefinition } from "@reading-list/store/table-definition.ts";
import { type DatabaseProgram, findDatabase } from "./database-binary.ts";
import { type ClaimHolder, claimDatabase } from "./database-claim.ts";

export interface EmbeddedDatabase {
  endpoint: string;
  stop(): Promise<void>;
}

/** Says nothing of the parent's death to the database but end of input, so a shell waits for that and ends it. */
const endWithParent = '"$@" </dev/null & database=$!; cat >/dev/null; kill $database; wait $database';

const readyWithin = 20_000;

/**
 * Starts a database that keeps its data in `dataDir`, or nothing where that is `:memory:`. It runs in a process group of
 * its own, so that a Ctrl-C lets calls finish first, and ends with this process however that ends.
 *
 * Throws a SetupError where the folder cannot be written, another process has its database open, or no database can be
 * started.
 */
export async function startEmbeddedDatabase(
  dataDir: string,
  program: DatabaseProgram = findDatabase(),
  holder: ClaimHolder = "service",
): Promise<EmbeddedDatabase> {
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const folder = dataDir === ":memory:" ? undefined : prepareFolder(dataDir);
  const release = folder === undefined ? () => {} : await claimDatabase(folder, { endpoint, holder });
  try {
    const stop = await startDatabase(program, endpoint, port, folder);
    return { endpoint, stop: () => stop().finally(release) };
  } catch (error) {
    release();
    throw error;
  }
}

/** Starts the database's process and waits until it answers; gives the way to end it. */
async function startDatabase(
  program: DatabaseProgram,
  endpoint: string,
  port: number,
  folder: string | undefined,
): Promise<() => Promise<void>> {
  const file = folder && path.resolve(folder, "reading-list.db");
  const database = spawn("/bin/sh", ["-c", endWithParent, "sh", program.command, ...program.argumentsFor(port, file)], {
    stdio: ["pipe", "ignore", "pipe"],
    detached: true,
    // DynamoDB Local writes a note of its own to where it runs.
    cwd: tmpdir(),
  });
  let complaint = "";
  database.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaint = (complaint + text).slice(-500);
  });
  const ended = once(database, "exit");
  const stop = async () => {
    database.stdin.end();
    await ended;
  };
  try {
    await waitUntilReady(endpoint, () => complaint);
  } catch (error) {
    await stop();
    throw error;
  }
  return stop;
}

function prepareFolder(dataDir: string): string {
  try {
    makeFolder(path.resolve(dataDir));
    accessSync(dataDir, constants.W_OK);
    return dataDir;
  } catch (error) {
    throw new SetupError(`DATA_DIR ${dataDir} cannot be written; name another folder`, error);
  }
}

/** Step by step, as Node's own recursive way never ends in file systems that refuse new folders as missing (/proc). */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(path.dirname(folder));
  mkdirSync(folder);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address ? address.port : 0;
}

async function waitUntilReady(endpoint: string, complaint: () => string): Promise<void> {
  const client = createDocumentClient(endpoint);
  const end = performance.now() + readyWithin;
  for (;;) {
    try {
      await client.send(new ListTablesCommand({}));
      return;
    } catch (error) {
      const reason = complaint().trim().split("\n").at(-1);
      if (performance.now() > end || /^error/i.test(reason ?? "")) {
        throw new SetupError(`the embedded database does not start: ${reason || "no answer"}`, error);
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Creates the table where there is none. */
export async function ensureTable({ client, tableName }: Table): Promise<void> {
  try {
    await client.send(new CreateTableCommand(createTableInput(tableName)));
    const TimeToLiveSpecification = { AttributeName: tableDefinition.ttl, Enabled: true };
    await client.send(new UpdateTimeToLiveCommand({ TableName: tableName, TimeToLiveSpecification }));
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error;
  }
}
