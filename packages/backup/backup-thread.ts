// SPDX-License-Identifier: MIT

import { parentPort, workerData } from "node:worker_threads";
import { type BackupOptions, writeBackup } from "./encrypted-backup.ts";

/** A thread that writes one backup. */
parentPort?.postMessage(await writeBackup(workerData as BackupOptions));
