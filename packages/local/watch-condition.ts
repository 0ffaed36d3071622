// SPDX-License-Identifier: MIT

import { describeDoubt } from "@reading-list/core/domain/clock-check.ts";
import type { ClockGuard } from "@reading-list/core/use-cases/operator/clock-guard.ts";
import type { Log } from "./log.ts";
import { repeatWork } from "./repeat-work.ts";

const intervalMs = 10_000;

/** Logs when a condition begins, with the text of `describe`, and when it ends. Returns a function that stops this. */
function watchCondition(describe: () => string | undefined, ended: string, log: Log): () => void {
  let wasOn = false;
  return repeatWork(async () => {
    const description = describe();
    const isOn = description !== undefined;
    if (isOn === wasOn) return;
    wasOn = isOn;
    log({ level: isOn ? "ERROR" : "INFO", message: description ?? ended });
  }, intervalMs);
}

/** Logs when the disk becomes full, and when there is room again. */
export const watchDisk = (isDiskFull: () => boolean, log: Log): (() => void) =>
  watchCondition(
    () =>
      isDiskFull()
        ? "the disk of DATA_DIR is full: less than DISK_RESERVE_MB is free. Users can still read and delete; calls that add data are refused until you free space"
        : undefined,
    "the disk of DATA_DIR has room again; calls that add data are accepted again",
    log,
  );

/** Logs when the clock becomes implausible, and when it is plausible again. */
export const watchClock = (guard: ClockGuard, log: Log): (() => void) =>
  watchCondition(
    () => guard.doubt && describeDoubt(guard.doubt),
    "the clock of this machine is plausible again; old data is erased again",
    log,
  );
