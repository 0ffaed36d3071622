import { accessSync, constants } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { SetupError } from "@reading-list/functions/compose/environment.ts";

/** A program that serves DynamoDB's API, given a port and a file; an undefined file keeps nothing. */
export interface DatabaseProgram {
  command: string;
  argumentsFor: (port: number, file: string | undefined) => string[];
}

const dynoxide = (command: string): DatabaseProgram => ({
  command,
  argumentsFor: (port, file) => ["serve", "--port", String(port), ...(file ? ["--db-path", file] : [])],
});

/** DynamoDB Local keeps its data in a folder, under a name of its own. */
const dynamodbLocal = (folder: string): DatabaseProgram => ({
  command: "java",
  argumentsFor: (port, file) => [
    `-Djava.library.path=${path.join(folder, "DynamoDBLocal_lib")}`,
    ...["-jar", path.join(folder, "DynamoDBLocal.jar"), "-disableTelemetry", "-port", String(port), "-sharedDb"],
    ...(file ? ["-dbPath", path.dirname(file)] : ["-inMemory"]),
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

/** AWS's own DynamoDB Local, where it and Java are on this machine. */
export function findDynamodbLocal(): DatabaseProgram | undefined {
  const simulator = resolved("amplify-dynamodb-simulator/package.json");
  return simulator && onPath("java") ? dynamodbLocal(path.join(path.dirname(simulator), "emulator")) : undefined;
}

/** The embedded database for this platform. Throws a SetupError that says what to install where there is none. */
export function findDatabase(): DatabaseProgram {
  const platform = `${process.platform}-${process.arch}`;
  const command = resolved(`@dynoxide/${platform}/dynoxide`) ?? onPath("dynoxide");
  const program = command ? dynoxide(command) : findDynamodbLocal();
  if (program) return program;
  throw new SetupError(
    `no database for ${platform}: install the npm package @dynoxide/${platform}, put dynoxide on the PATH, or install Java for DynamoDB Local`,
  );
}
