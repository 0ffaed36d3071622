import { accessSync, constants } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { SetupError } from "@reading-list/functions/compose/environment.ts";

/** Where a database process listens. */
interface DatabaseAddress {
  host: string;
  port: number;
}

/** A program that serves DynamoDB's API from a SQLite file. */
export interface DatabaseProgram {
  name: string;
  command: string;
  /** The name of its SQLite file in the data folder. */
  fileName: string;
  /** Milliseconds that it may take to start on a slow machine. */
  startTimeout: number;
  /** Message for a person who waits for its start. */
  startNotice?: string;
  /** False if it listens on every address of the machine, whatever its arguments. */
  canChooseHost: boolean;
  /** Its arguments; without a folder it keeps its data in memory. */
  argumentsFor: (address: DatabaseAddress, folder: string | undefined) => string[];
}

const dynoxide = (command: string): DatabaseProgram => {
  const fileName = "reading-list.db";
  return {
    name: "dynoxide",
    command,
    fileName,
    startTimeout: 20_000,
    canChooseHost: true,
    argumentsFor: ({ host, port }, folder) => [
      ...["serve", "--host", host, "--port", String(port)],
      ...(folder === undefined ? [] : ["--db-path", path.join(folder, fileName)]),
    ],
  };
};

const dynamodbLocal = (programFolder: string): DatabaseProgram => ({
  name: "DynamoDB Local",
  command: "java",
  fileName: "shared-local-instance.db",
  startTimeout: 60_000,
  startNotice: "starting DynamoDB Local",
  canChooseHost: false,
  argumentsFor: ({ port }, folder) => [
    // Java's optimising compiler and parallel collector take more CPU time than they save here.
    ...["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"],
    `-Djava.library.path=${path.join(programFolder, "DynamoDBLocal_lib")}`,
    ...["-jar", path.join(programFolder, "DynamoDBLocal.jar"), "-disableTelemetry", "-port", String(port), "-sharedDb"],
    // By default every web page may read the database. No page has this origin.
    ...["-cors", "https://none.invalid"],
    ...(folder === undefined ? ["-inMemory"] : ["-dbPath", folder]),
  ],
});

const { resolve } = createRequire(import.meta.url);

function resolved(specifier: string): string | undefined {
  try {
    return resolve(specifier);
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

/** AWS's DynamoDB Local; undefined if it or Java is not installed. */
export function findDynamodbLocal(): DatabaseProgram | undefined {
  const simulator = resolved("amplify-dynamodb-simulator/package.json");
  return simulator && onPath("java") ? dynamodbLocal(path.join(path.dirname(simulator), "emulator")) : undefined;
}

/**
 * The database program for this platform: dynoxide from its npm package or from the PATH, else DynamoDB Local. Throws a
 * SetupError that says what to install if there is none.
 */
export function findDatabase(): DatabaseProgram {
  const platform = `${process.platform}-${process.arch}`;
  const command = resolved(`@dynoxide/${platform}/dynoxide`) ?? onPath("dynoxide");
  const program = command ? dynoxide(command) : findDynamodbLocal();
  if (program) return program;
  throw new SetupError(
    `no database for ${platform}: install the npm package @dynoxide/${platform}, put dynoxide on the PATH, or install Java for DynamoDB Local`,
  );
}
