// SPDX-License-Identifier: MIT

import type { KeyObject } from "node:crypto";
import { openDestination } from "@reading-list/backup/destination.ts";
import { type BackupOptions, listBackups } from "@reading-list/backup/encrypted-backup.ts";
import { createEncrypter } from "@reading-list/backup/encryption.ts";
import { writeBackupInThread } from "@reading-list/backup/in-thread.ts";
import { type Clock, secondsOf } from "@reading-list/core/ports.ts";
import { createSignatureKeys } from "@reading-list/http/compose/signature-keys.ts";
import { noteBackup } from "./last-backup.ts";
import { repeatWork } from "./repeat-work.ts";

const hourMs = 3_600_000;
const day = 86_400;

/** The key of the names of pictures in encrypted backups. */
export const nameKeyOf = (secret: string): KeyObject => createSignatureKeys(secret)("backup");

/**
 * Writes an encrypted backup on each day (UTC) that has none yet; a failure is logged, and tried again in an hour. Returns the
 * way to stop. Throws a SetupError if the recipient is no key of age.
 */
export function startDailyBackups(
  options: Omit<BackupOptions, "now">,
  clock: Clock,
  output: Pick<NodeJS.WriteStream, "write"> | undefined,
): () => void {
  createEncrypter(options.recipient);
  const log = (line: Record<string, unknown>) =>
    output?.write(`${JSON.stringify({ ...line, timestamp: new Date().toISOString() })}\n`);
  return repeatWork(async () => {
    try {
      const now = secondsOf(clock);
      const [newest] = await listBackups(openDestination(options.address));
      if (newest && Math.floor(newest.time / day) >= Math.floor(now / day)) return;
      const { pictures } = await writeBackupInThread({ ...options, now });
      noteBackup(options.folder);
      if (pictures.missing > 0) log({ level: "ERROR", message: "backup lacks pictures", ...pictures });
    } catch (error) {
      log({ level: "ERROR", message: "backup failed", reason: (error as Error).message });
    }
  }, hourMs);
}
