// SPDX-License-Identifier: MIT

import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { BackupOptions, WrittenBackup } from "./encrypted-backup.ts";

/**
 * `writeBackup` in a separate thread, because copying and encrypting a large database takes seconds of processor time.
 */
export async function writeBackupInThread(options: BackupOptions): Promise<WrittenBackup> {
  const thread = new Worker(new URL("./backup-thread.ts", import.meta.url), { workerData: options });
  thread.unref();
  const [written] = (await once(thread, "message")) as [WrittenBackup];
  return written;
}
