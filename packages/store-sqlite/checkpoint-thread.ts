import { DatabaseSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";

/** A thread that writes the log into the database file, and then lets it begin anew. */

const connection = new DatabaseSync(workerData as string, { timeout: 0 });
connection.exec("PRAGMA secure_delete = ON");

parentPort?.on("message", () => {
  // The first does most of the work beside writers; the second waits for nobody.
  connection.exec("PRAGMA wal_checkpoint(PASSIVE)");
  connection.exec("PRAGMA wal_checkpoint(RESTART)");
});
