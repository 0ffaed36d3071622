// SPDX-License-Identifier: MIT

import type { KindCounts } from "./list-write.ts";
import type { UserClock } from "./user-clock.ts";

/**
 * Age in seconds of a change that is surely visible. The items of a transaction become visible within seconds, and the
 * clocks of the machines that wrote it and that read it may be a minute off each (docs/data.md 4).
 */
const visibleAfterSeconds = 130;

/** Whether a change made at `changedAt` is so old that no query needs to look for it. */
export const isSurelyVisible = ({ lastSince }: UserClock, changedAt: number): boolean =>
  lastSince - changedAt > visibleAfterSeconds;

/**
 * The newest second whose changes are all visible: the second of the answer if all items and tombstones of the newest
 * change were found, else the second before the change. `countCall` has raised the clock, so that no change
 * gets a time up to `lastSince` any more; an item that was changed again since then is missing in its old second.
 */
export function visibleSecond(
  { clock, newest }: { clock: UserClock; newest: Readonly<KindCounts> },
  foundItems: number,
  foundTombstones: number,
): number {
  const hasAll = foundItems >= newest.unread + newest.read && foundTombstones >= newest.deleted;
  return hasAll || isSurelyVisible(clock, clock.changedAt) ? clock.lastSince : clock.changedAt - 1;
}
