import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { ListTablesCommand } from "@aws-sdk/client-dynamodb";
import { SetupError } from "@reading-list/functions/compose/environment.ts";
import { createDocumentClient } from "@reading-list/store/client.ts";
import type { DatabaseProgram } from "./database-program.ts";

/** A database process of this process. */
export interface DatabaseProcess {
  endpoint: string;
  stop(): Promise<void>;
}

/**
 * The database does not notice that its parent died. The shell waits for the end of its input, which comes with any
 * death of the parent, then stops the database. `umask` keeps the database's files from other users.
 */
const stopWithParent = 'umask 077; "$@" </dev/null & database=$!; cat >/dev/null; kill $database; wait $database';

/** Ports that are tried if another process takes each between the choice of the port and the start of the database. */
const mostPorts = 5;

/**
 * Starts a database on a folder, or in memory, on a free address that web pages cannot find. `announce` receives the
 * address before each start; a start is repeated with another port if its port was taken meanwhile.
 *
 * Throws a SetupError if the database does not start.
 */
export async function startDatabase(
  program: DatabaseProgram,
  folder: string | undefined,
  announce: (endpoint: string) => void = () => {},
): Promise<DatabaseProcess> {
  for (let ports = 1; ; ports++) {
    const endpoint = await chooseEndpoint(program);
    announce(endpoint);
    try {
      return await startDatabaseProcess(program, endpoint, folder);
    } catch (error) {
      const isPortTaken = error instanceof SetupError && portTaken.test(error.message);
      if (!isPortTaken || ports === mostPorts) throw error;
    }
  }
}

const portTaken = /already in use/i;

async function chooseEndpoint({ canChooseHost }: DatabaseProgram): Promise<string> {
  for (const host of [...(canChooseHost ? [randomLoopback()] : []), "127.0.0.1"]) {
    const port = await findFreePort(host);
    if (port !== undefined) return `http://${host}:${port}`;
  }
  throw new SetupError("127.0.0.1 has no free port for the database");
}

/**
 * The database answers web pages of any origin and checks no signature. A page can scan the ports of 127.0.0.1, but not
 * those of 16 million addresses: on Linux the loopback interface has all of 127.0.0.0/8.
 */
const randomLoopback = () => `127.${randomInt(1, 255)}.${randomInt(0, 256)}.${randomInt(1, 255)}`;

/** Undefined if this machine does not have the address. */
async function findFreePort(host: string): Promise<number | undefined> {
  const server = createServer().listen(0, host);
  try {
    await once(server, "listening");
  } catch {
    return undefined;
  }
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/**
 * Starts a database and waits until it answers. It runs in a new process group, so that Ctrl-C lets calls finish
 * first, and stops with this process however that ends.
 */
async function startDatabaseProcess(
  program: DatabaseProgram,
  endpoint: string,
  folder: string | undefined,
): Promise<DatabaseProcess> {
  const { hostname, port } = new URL(endpoint);
  const programArguments = program.argumentsFor({ host: hostname, port: Number(port) }, folder);
  const database = spawn("/bin/sh", ["-c", stopWithParent, "sh", program.command, ...programArguments], {
    stdio: ["pipe", "ignore", "pipe"],
    detached: true,
    // DynamoDB Local writes a file to the current folder.
    cwd: tmpdir(),
  });
  let stderr = "";
  database.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr = (stderr + text).slice(-500);
  });
  const ended = once(database, "exit");
  // On standard error: a command's standard output may be JSON.
  if (program.startNotice !== undefined) console.error(program.startNotice);
  const stop = async () => {
    database.stdin.end();
    await ended;
  };
  try {
    await untilReady(program, endpoint, () => stderr.trim().split("\n").at(-1) ?? "");
  } catch (error) {
    await stop();
    throw error;
  }
  return { endpoint, stop };
}

async function untilReady(program: DatabaseProgram, endpoint: string, lastLine: () => string): Promise<void> {
  const client = createDocumentClient(endpoint);
  const end = performance.now() + program.startTimeout;
  try {
    for (;;) {
      try {
        await client.send(new ListTablesCommand({}));
        return;
      } catch (error) {
        const reason = lastLine();
        if (performance.now() > end || /^error/i.test(reason) || portTaken.test(reason)) {
          throw new SetupError(`${program.name} does not start: ${reason || "no answer"}`, error);
        }
      }
      await pause(20);
    }
  } finally {
    client.destroy();
  }
}
