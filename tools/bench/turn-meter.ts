// SPDX-License-Identifier: MIT

/**
 * Measures the turns of the event loop of the process that preloads it (`--import`), in processor time of its main
 * thread: the time in which others have the processor does not count. The parent sends `start`, and `stop` to get the
 * result; between them a turn follows the other without a pause, so nothing is measured, or used, at rest. A turn is all
 * that runs between two looks of the meter: up to it, another request waits.
 */
import { type PerformanceEntry, PerformanceObserver } from "node:perf_hooks";
import { isMainThread } from "node:worker_threads";

/** Measures the turns between `start` and `stop`. */
export interface Turns {
  /** Milliseconds of processor time of the longest one. */
  longestMs: number;
  /** The same without the collection of garbage in it, which depends on what ran before. */
  longestWorkMs: number;
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

/** A turn that may be the longest one. `from`, `to`: on the clock of `performance`. */
interface LongTurn {
  ms: number;
  from: number;
  to: number;
}

/** Turns that are remembered, and collections of garbage that may be in them. */
const longMs = 5;

type Collection = Pick<PerformanceEntry, "startTime" | "duration">;

/** The longest turns with and without garbage collection. */
function findLongest(turns: readonly LongTurn[], collections: readonly Collection[]) {
  const workOf = ({ ms, from, to }: LongTurn) =>
    ms -
    collections.reduce(
      (sum, { startTime, duration }) => sum + (startTime >= from && startTime <= to ? duration : 0),
      0,
    );
  return {
    longestMs: Math.max(0, ...turns.map(({ ms }) => ms)),
    longestWorkMs: Math.max(0, ...turns.map(workOf)),
  };
}

if (isMainThread && process.send) {
  let next: NodeJS.Immediate | undefined;
  let [restMb, peakMb] = [0, 0];
  let turns: LongTurn[] = [];
  let collections: Collection[] = [];
  const observer = new PerformanceObserver((list) => void collections.push(...list.getEntries()));
  observer.observe({ entryTypes: ["gc"] });
  const look = () => {
    peakMb = Math.max(peakMb, residentMb());
  };
  process.on("message", async (message) => {
    clearImmediate(next);
    if (message === "stop") {
      look();
      // The observer gets its entries in a later turn.
      await new Promise(setImmediate);
      collections.push(...observer.takeRecords());
      process.send?.({ ...findLongest(turns, collections), restMb, peakMb } satisfies Turns);
      return;
    }
    restMb = peakMb = residentMb();
    turns = [];
    collections = [];
    let [used, from, count] = [usedMs(), performance.now(), 0];
    const turn = () => {
      const ms = usedMs() - used;
      if (ms > longMs) turns.push({ ms, from, to: performance.now() });
      if (ms > longMs || ++count % turnsOfLook === 0) look();
      [used, from] = [usedMs(), performance.now()];
      next = setImmediate(turn);
    };
    next = setImmediate(turn);
  });
  // The channel does not keep the service alive.
  process.channel?.unref();
}
