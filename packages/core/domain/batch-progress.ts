// SPDX-License-Identifier: MIT

/** How far a `send` of several transactions has come, so that a retry of it continues there. */
export interface BatchProgress {
  /** Hash of the request. */
  digest: string;
  /** The number of its items, in order, that need no more writing. Unix seconds of the last of them are `at`. */
  done: number;
  at: number;
}

/** A later identical request is a new one. */
const keptSeconds = 86_400;
/** Devices of a user that send long batches at the same time. */
const batchesKept = 4;

const isKept = ({ at }: BatchProgress, now: number) => now - at < keptSeconds;

/** The number of items that earlier tries of a request have done. */
export const countDone = (unfinished: readonly BatchProgress[], digest: string, now: number): number =>
  unfinished.find((each) => each.digest === digest && isKept(each, now))?.done ?? 0;

/** A step of such a `send`. After the last one nothing is left to remember. */
export interface BatchStep extends BatchProgress {
  isLast: boolean;
}

/** The batches that are unfinished after a step of one. */
export function afterStep(unfinished: readonly BatchProgress[], { isLast, ...progress }: BatchStep): BatchProgress[] {
  const others = unfinished.filter((each) => each.digest !== progress.digest && isKept(each, progress.at));
  return isLast ? others : [progress, ...others].slice(0, batchesKept);
}
