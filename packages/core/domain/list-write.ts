// SPDX-License-Identifier: MIT

import { afterStep, type BatchProgress, type BatchStep } from "./batch-progress.ts";
import { addedAgain, type Item, type ItemKind, type ItemWrite, itemKind, toChangeKey } from "./item.ts";
import { chooseChangeTime, isUnsynced, type UserClock } from "./user-clock.ts";

/** The state of a list that a write depends on, and changes. */
export interface ListState {
  clock: UserClock;
  revision: number;
  unfinished: readonly BatchProgress[];
}

/** The newer of two states of a list, which may have been read at different times; `list` if the other is of another user. */
export function newerState<List extends ListState & { userId: string }>(list: List, other: List | undefined): List {
  if (!other || other.userId !== list.userId) return list;
  const newer = other.revision > list.revision ? other : list;
  const lastSince = Math.max(list.clock.lastSince, other.clock.lastSince);
  return { ...newer, clock: { ...newer.clock, lastSince } };
}

/** Changes of the number of items, by kind. */
export type KindCounts = Record<ItemKind, number>;

/** A write of a list, which a store saves completely or not at all. */
export interface PlannedWrite {
  items: Item[];
  after: ListState;
  /** Changes of the counts of all items. */
  counts: KindCounts;
  /** Changes of the counts of the items whose time is `after.clock.changedAt`; `isNewTime`: they are the first of that time. */
  newest: KindCounts;
  isNewTime: boolean;
  /** An item comes back with its highlights. */
  bringsHighlights: boolean;
  /** An item has an earlier time than the write. */
  isBackdated: boolean;
  /** The time of the deletions among the items; undefined if none was deleted. */
  deletedAt: number | undefined;
}

/**
 * The write of items at `now`. They get the time of the change or, if they are imported into a list that was never synced,
 * their original times. `step`: the progress of a batch that the write completes.
 */
export function planListWrite(
  { clock, revision: seen, unfinished }: ListState,
  writes: readonly ItemWrite[],
  now: number,
  step: BatchStep | undefined,
): PlannedWrite {
  const time = chooseChangeTime(now, clock);
  const revision = seen + 1;
  const items = writes.map((write, position): Item => {
    const { before, after, original, isRestored, isProgressAlone } = write;
    const updated = isUnsynced(clock) ? original?.timeUpdated : undefined;
    const given = original?.timeAdded;
    const isNew = !before || (before.isDeleted && !isRestored);
    const timeUpdated = Math.min(updated ?? time, time);
    const content = before && isNew ? addedAgain(before, after, now) : after;
    const isBack = content.hasHighlights && before?.isDeleted && !content.isDeleted;
    return {
      ...content,
      ...(isBack && { highlightsToldAt: time }),
      timeAdded: isNew ? (given === undefined ? time : Math.min(given, now)) : before.timeAdded,
      timeUpdated,
      timeOfContent: isProgressAlone ? (before?.timeOfContent ?? before?.timeUpdated) : undefined,
      changeKey: toChangeKey(timeUpdated, revision, position),
    };
  });
  const changedAt = Math.max(clock.changedAt, ...items.map(({ timeUpdated }) => timeUpdated));
  const isNewTime = changedAt !== clock.changedAt;
  const before = writes.flatMap((write) => write.before ?? []);
  const moved = items.filter((item, position) => {
    const seen = writes[position]?.before;
    return seen?.hasHighlights && seen.isDeleted !== item.isDeleted;
  });
  return {
    items,
    after: {
      clock: { ...clock, changedAt, highlightsAt: moved.length > 0 ? time : clock.highlightsAt },
      revision,
      unfinished: step ? afterStep(unfinished, step) : unfinished,
    },
    counts: countChanges(before, items),
    newest: countChanges(
      before.filter(({ timeUpdated }) => !isNewTime && timeUpdated === changedAt),
      items.filter(({ timeUpdated }) => timeUpdated === changedAt),
    ),
    isNewTime,
    bringsHighlights: moved.some(({ isDeleted }) => !isDeleted),
    isBackdated: items.some(({ timeUpdated }) => timeUpdated < time),
    // All deletions of a write have its time.
    deletedAt: items.some(({ isDeleted }) => isDeleted) ? changedAt : undefined,
  };
}

function countChanges(before: readonly Item[], after: readonly Item[]): KindCounts {
  const counts: KindCounts = { unread: 0, read: 0, deleted: 0 };
  for (const item of before) counts[itemKind(item)] -= 1;
  for (const item of after) counts[itemKind(item)] += 1;
  return counts;
}
