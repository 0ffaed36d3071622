import { addedAgain, type ItemWrite } from "./item.ts";
import { isUnsynced, timeOfChange, type UserClock } from "./user-clock.ts";

/** A write with the times that its item gets. */
export interface TimedWrite extends ItemWrite {
  timeAdded: number;
  timeUpdated: number;
  timeOfContent: number | undefined;
}

/**
 * The times of items that are written at `now`: the time of the change or, of items imported into a list that was never
 * synced, their original times. `changedAt` and `highlightsAt` are those of the list afterwards; `hasTold`: an item comes
 * back with its highlights.
 */
export function timeWrites(
  writes: readonly ItemWrite[],
  clock: UserClock,
  now: number,
): { writes: TimedWrite[]; changedAt: number; highlightsAt: number; hasTold: boolean; isBackdated: boolean } {
  const time = timeOfChange(now, clock);
  const timed = writes.map((write): TimedWrite => {
    const { before, after, original, isRestored, isProgressAlone } = write;
    const updated = isUnsynced(clock) ? original?.timeUpdated : undefined;
    const isNew = !before || (before.isDeleted && !isRestored);
    const content = before && isNew ? addedAgain(before, after, now) : after;
    const isBack = content.hasHighlights && before?.isDeleted && !content.isDeleted;
    return {
      ...write,
      after: isBack ? { ...content, highlightsToldAt: time } : content,
      timeAdded: isNew ? Math.min(original?.timeAdded ?? time, time) : before.timeAdded,
      timeUpdated: Math.min(updated ?? time, time),
      timeOfContent: isProgressAlone ? (before?.timeOfContent ?? before?.timeUpdated) : undefined,
    };
  });
  const moved = timed.filter(({ before, after }) => before?.hasHighlights && before.isDeleted !== after.isDeleted);
  return {
    writes: timed,
    changedAt: Math.max(clock.changedAt, ...timed.map(({ timeUpdated }) => timeUpdated)),
    highlightsAt: moved.length > 0 ? time : clock.highlightsAt,
    hasTold: moved.some(({ after }) => !after.isDeleted),
    isBackdated: timed.some(({ timeUpdated }) => timeUpdated < time),
  };
}
