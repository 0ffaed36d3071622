// SPDX-License-Identifier: MIT

import { spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants, existsSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { ListTablesCommand } from "@aws-sdk/client-dynamodb";
import { createDocumentClient } from "@reading-list/store-dynamodb/client.ts";
import { findFreePort } from "./free-port.ts";

/** A program that serves DynamoDB's API. */
interface DynamodbProgram {
  command: string;
  argumentsFor: (port: number) => string[];
}

/** AWS's DynamoDB Local, where `.ci/install-dynamodb-local` has put it and there is Java; else undefined. */
export function findDynamodbLocal(): DynamodbProgram | undefined {
  const folder = path.resolve("node_modules/.cache/dynamodb-local");
  const jar = path.join(folder, "DynamoDBLocal.jar");
  if (!existsSync(jar) || !onPath("java")) return undefined;
  return {
    command: "java",
    argumentsFor: (port) => [
      // Java's optimising compiler and parallel collector take more CPU time than they save here.
      "-XX:TieredStopAtLevel=1",
      "-XX:+UseSerialGC",
      `-Djava.library.path=${path.join(folder, "DynamoDBLocal_lib")}`,
      "-jar",
      jar,
      "-disableTelemetry",
      "-port",
      String(port),
      "-sharedDb",
      "-inMemory",
    ],
  };
}

/** dynoxide: the npm package of this platform or a program on the PATH, else DynamoDB Local; undefined without one. */
export function findDynamodb(): DynamodbProgram | undefined {
  const command = dynoxideOfNpm() ?? onPath("dynoxide");
  if (!command) return findDynamodbLocal();
  return { command, argumentsFor: (port) => ["serve", "--host", "127.0.0.1", "--port", String(port)] };
}

function dynoxideOfNpm(): string | undefined {
  try {
    return createRequire(import.meta.url).resolve(`@dynoxide/${process.platform}-${process.arch}/dynoxide`);
  } catch {
    return undefined;
  }
}

function onPath(command: string): string | undefined {
  const candidates = (process.env.PATH ?? "").split(path.delimiter).map((folder) => path.join(folder, command));
  return candidates.find((candidate) => {
    try {
      accessSync(candidate, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** The database does not notice when its parent ends, nor when the shell ends, which waits for the end of its input. */
const stopWithParent = '"$@" </dev/null & database=$!; cat >/dev/null; kill $database; wait $database';

/** Starts a DynamoDB in memory, and waits until it answers. */
export async function startDynamodb(program = findDynamodb()): Promise<{ endpoint: string; stop(): Promise<void> }> {
  if (!program) throw new Error("install the npm package @dynoxide/linux-x64, or run .ci/install-dynamodb-local");
  const port = await findFreePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const args = ["-c", stopWithParent, "sh", program.command, ...program.argumentsFor(port)];
  // DynamoDB Local writes a file to the current folder.
  const database = spawn("/bin/sh", args, { stdio: ["pipe", "ignore", "ignore"], detached: true, cwd: tmpdir() });
  const ended = once(database, "exit");
  const client = createDocumentClient(endpoint);
  const answers = () => client.send(new ListTablesCommand({})).then(Boolean, () => false);
  while (database.exitCode === null && !(await answers())) await pause(20);
  client.destroy();
  return {
    endpoint,
    async stop() {
      database.stdin.end();
      await ended;
    },
  };
}
