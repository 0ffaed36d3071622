// SPDX-License-Identifier: MIT

import { randomUUID } from "node:crypto";
import { changeKeyAt } from "../../domain/item.ts";
import { splitList } from "../../domain/split-list.ts";
import { maxLeadSeconds, newestTime } from "../../domain/user-clock.ts";
import { ServiceError } from "../../errors.ts";
import { writesAtOnce } from "../../ports/items.ts";
import type { OperatorStore, UserRecord } from "../../ports/operator.ts";

/** Seconds by which the clock of a list is ahead of `now`, beyond the lead that changes can cause; 0 if it is not. */
export function secondsAhead(user: UserRecord, now: number): number {
  const lead = newestTime(user) - now;
  return lead > 2 * maxLeadSeconds ? lead : 0;
}

/**
 * Sets the clock of a list back to `now` (unix seconds), and with it the times of items after it, which keep their order.
 * A client that has a `since` of the wrong clock gets the whole list. The list must not be in use meanwhile; a repair
 * that was interrupted is continued. False if its clock is not ahead. Throws `unavailable` if the list was used.
 */
export async function repairClock(store: OperatorStore, username: string, now: number): Promise<boolean> {
  const before = await store.findUser(username);
  if (!before || secondsAhead(before, now) === 0) return false;
  const moving = before.moving ?? { id: randomUUID(), since: now };
  const begun = { ...before, moving };
  if (!before.moving && !(await store.replaceUser(before, begun))) throw inUse();
  for await (const records of store.walkRecords(username)) {
    const late = records.filter((item) => item.timeUpdated > now || item.timeAdded > now);
    for (const part of splitList(late, writesAtOnce)) {
      const items = part.map((item) => ({
        ...item,
        timeAdded: Math.min(item.timeAdded, now),
        timeUpdated: Math.min(item.timeUpdated, now),
        timeOfContent: item.timeOfContent && Math.min(item.timeOfContent, now),
        highlightsToldAt: item.highlightsToldAt && Math.min(item.highlightsToldAt, now),
        changeKey: changeKeyAt(Math.min(item.timeUpdated, now), item.changeKey),
      }));
      if (!(await store.writeRecords(username, moving.id, items))) throw inUse();
    }
  }
  for await (const highlights of store.walkHighlights(before)) {
    const late = highlights
      .filter(({ timeUpdated, timeCreated }) => timeUpdated > now || timeCreated > now)
      .map((each) => ({
        ...each,
        timeCreated: Math.min(each.timeCreated, now),
        timeUpdated: Math.min(each.timeUpdated, now),
        changeKey: changeKeyAt(Math.min(each.timeUpdated, now), each.changeKey),
      }));
    if (late.length > 0 && !(await store.writeHighlights(before, moving.id, late))) throw inUse();
  }
  const from = newestTime(before);
  const repaired: UserRecord = {
    ...begun,
    lastSince: Math.min(before.lastSince, now),
    changedAt: Math.min(before.changedAt, now),
    highlightsAt: Math.min(before.highlightsAt, now),
    keptAt: Math.min(before.keptAt, now),
    deletedAt: Math.min(before.deletedAt, now),
    repaired: { from, at: now },
    firstSyncUpTo: before.firstSyncUpTo && Math.min(before.firstSyncUpTo, now),
    walks: {},
    moving: undefined,
  };
  if (!(await store.replaceUser(begun, repaired))) throw inUse();
  await store.recountList(username);
  return true;
}

const inUse = () =>
  new ServiceError("unavailable", "the list was used in the meantime; start maintenance, then run the command again");
