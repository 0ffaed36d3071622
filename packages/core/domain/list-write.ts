import { addedAgain, type ItemWrite } from "./item.ts";
import { isUnsynced, timeOfChange, type UserClock } from "./user-clock.ts";

/** A write with the times that its item gets. */
export interface TimedWrite extends ItemWrite {
  timeAdded: number;
  timeUpdated: number;
}

/**
 * The times of items that are written at `now`: the time of the change or, of items imported into a list that was never
 * synced, their original times. `changedAt` is that of the list afterwards.
 */
export function timeWrites(
  writes: readonly ItemWrite[],
  clock: UserClock,
  now: number,
): { writes: TimedWrite[]; changedAt: number; isBackdated: boolean } {
  const time = timeOfChange(now, clock);
  const timed = writes.map((write): TimedWrite => {
    const { before, original } = write;
    const updated = isUnsynced(clock) ? original?.timeUpdated : undefined;
    return {
      ...write,
      after: before?.isDeleted && !write.after.isDeleted ? addedAgain(before, write.after) : write.after,
      timeAdded: before && !before.isDeleted ? before.timeAdded : Math.min(original?.timeAdded ?? time, time),
      timeUpdated: Math.min(updated ?? time, time),
    };
  });
  return {
    writes: timed,
    changedAt: Math.max(clock.changedAt, ...timed.map(({ timeUpdated }) => timeUpdated)),
    isBackdated: timed.some(({ timeUpdated }) => timeUpdated < time),
  };
}
