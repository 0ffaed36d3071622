// SPDX-License-Identifier: MIT

import { DatabaseSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";

/** A thread that writes the log into the database file, and then lets it begin anew. */

/** Milliseconds for which it waits for a writer: an import writes all the time, and its log would grow to 100 MB. */
const timeout = 100;
const connection = new DatabaseSync(workerData as string, { timeout });
connection.exec("PRAGMA secure_delete = ON");

parentPort?.on("message", () => {
  // The first does most of the work beside writers, so that they wait for the second but shortly.
  connection.exec("PRAGMA wal_checkpoint(PASSIVE)");
  connection.exec("PRAGMA wal_checkpoint(RESTART)");
});
