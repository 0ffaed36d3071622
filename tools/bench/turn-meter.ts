// SPDX-License-Identifier: MIT

/**
 * Measures the turns of the event loop of the process that preloads it (`--import`), in processor time of its main
 * thread: the time in which others have the processor does not count. The parent sends `start`, and `stop` to get the
 * result; between them a turn follows the other without a pause, so nothing is measured, or used, at rest.
 */
import { isMainThread } from "node:worker_threads";

/** Measures the turns between `start` and `stop`. */
export interface Turns {
  /** Milliseconds of processor time of the longest one. */
  longestMs: number;
  /** Megabytes of resident memory: at the start, and at most. */
  restMb: number;
  peakMb: number;
}

/** Turns between two looks at the memory, which cost more than a turn. */
const turnsOfLook = 50;

const usedMs = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};
const residentMb = () => process.memoryUsage.rss() / 1024 / 1024;

if (isMainThread && process.send) {
  let next: NodeJS.Immediate | undefined;
  let turns: Turns = { longestMs: 0, restMb: 0, peakMb: 0 };
  const look = () => {
    turns.peakMb = Math.max(turns.peakMb, residentMb());
  };
  process.on("message", (message) => {
    clearImmediate(next);
    if (message === "stop") {
      look();
      process.send?.(turns);
      return;
    }
    const restMb = residentMb();
    turns = { longestMs: 0, restMb, peakMb: restMb };
    let [last, count] = [usedMs(), 0];
    const turn = () => {
      const now = usedMs();
      const ms = now - last;
      if (ms > turns.longestMs) turns.longestMs = ms;
      if (ms > 5 || ++count % turnsOfLook === 0) look();
      last = usedMs();
      next = setImmediate(turn);
    };
    next = setImmediate(turn);
  });
  // The channel does not keep the service alive.
  process.channel?.unref();
}
