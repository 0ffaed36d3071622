// SPDX-License-Identifier: MIT

import { DatabaseSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";

/** A thread that writes the log into the database file, and then lets it start over. */

/** Milliseconds for which it waits for a writer: an import writes all the time, and its log would grow to 100 MB. */
const timeout = 100;
const connection = new DatabaseSync(workerData as string, { timeout });
connection.exec("PRAGMA secure_delete = ON");

/** `TRUNCATE` also gives the space of the log back. */
export type CheckpointMode = "RESTART" | "TRUNCATE";

/** Why a checkpoint ended early; `errcode` as SQLite has it. */
export interface CheckpointError {
  errcode: number;
  message: string;
}

parentPort?.on("message", (mode: CheckpointMode) => {
  parentPort?.postMessage(checkpoint(mode));
});

function checkpoint(mode: CheckpointMode): CheckpointError | undefined {
  try {
    // The first does most of the work beside writers, so that they wait for the second but shortly.
    connection.exec("PRAGMA wal_checkpoint(PASSIVE)");
    connection.exec(`PRAGMA wal_checkpoint(${mode})`);
    return undefined;
  } catch (error) {
    const { errcode = 0, message } = error as Partial<CheckpointError> & Error;
    return { errcode, message };
  }
}
