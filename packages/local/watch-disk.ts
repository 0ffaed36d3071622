// SPDX-License-Identifier: MIT

import { repeatWork } from "./repeat-work.ts";

const intervalMs = 10_000;

/** Logs when the disk becomes full, and when there is room again. Returns the way to stop. */
export function watchDisk(isDiskFull: () => boolean, log: (line: Record<string, unknown>) => void): () => void {
  let wasFull = false;
  return repeatWork(async () => {
    const isFull = isDiskFull();
    if (isFull === wasFull) return;
    wasFull = isFull;
    const message = isFull
      ? "the disk of DATA_DIR is full: less than DISK_RESERVE_MB is free; reading and deleting go on, and calls that add data are refused until there is room"
      : "the disk of DATA_DIR has room again; calls that add data are accepted";
    log({ level: isFull ? "ERROR" : "INFO", message });
  }, intervalMs);
}
