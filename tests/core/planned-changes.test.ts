// SPDX-License-Identifier: MIT

import { type Change, planWrite } from "@reading-list/core/domain/changes.ts";
import { erased, type Item, isInTrash, trashKeptSeconds } from "@reading-list/core/domain/item.ts";
import { planListWrite } from "@reading-list/core/domain/list-write.ts";
import { describe, expect, test } from "vitest";

const now = 2_000_000_000;
const live: Item = {
  itemId: "1",
  url: "http://e.example/",
  title: "T",
  tags: "a",
  state: "1",
  applicationId: "app",
  refId: undefined,
  isDeleted: false,
  timeAdded: 1000,
  timeUpdated: 2000,
  changeKey: "0000002000#0000000001#00",
};
const trashed: Item = { ...live, state: "1", isDeleted: true, trashedState: "1", timeUpdated: now - 10 };
const restore: Change = { kind: "restore", itemId: "1" };
const add: Change = {
  kind: "add",
  itemId: "1",
  url: live.url,
  title: undefined,
  tags: undefined,
  refId: undefined,
  timeAdded: undefined,
};
const progress = (percent: number, time?: number): Change => ({
  kind: "progress",
  itemId: "1",
  percent,
  anchor: "",
  time,
});

/** The item that the changes of one request make of `before`; undefined if they write nothing. */
function planned(before: Item | undefined, ...changes: Change[]) {
  const write = planWrite(before, changes, "other", now);
  const list = { clock: { lastSince: 5, changedAt: 0, highlightsAt: 0, keptAt: 0 }, revision: 0, unfinished: [] };
  return write && planListWrite(list, [write], now, undefined).items[0];
}

describe("a deleted item", () => {
  test("keeps its content and state, and is in the trash for 30 days", () => {
    const deleted = planned(live, { kind: "delete", itemId: "1" });
    expect(deleted).toMatchObject({ isDeleted: true, trashedState: "1", title: "T", tags: "a" });
    expect(isInTrash(trashed, now)).toBe(true);
    expect(isInTrash({ ...trashed, timeUpdated: now - trashKeptSeconds }, now)).toBe(false);
    expect(isInTrash(live, now)).toBe(false);
    expect(isInTrash(erased(trashed), now)).toBe(false);
  });

  test("is restored with time_added, state and application, and takes no write if it is not in the trash", () => {
    const restored = planned(trashed, restore);
    expect(restored).toMatchObject({ timeAdded: 1000, timeUpdated: now });
    expect(restored).toMatchObject({ state: "1", tags: "a", applicationId: "app", isDeleted: false });
    expect(restored?.trashedState).toBeUndefined();
    for (const before of [undefined, live, erased(trashed), { ...trashed, timeUpdated: 5 }]) {
      expect(planned(before, restore)).toBeUndefined();
    }
  });

  test("that is added again passes progress and belongings, unless it was erased", () => {
    const place = { percent: 40, anchor: "x", time: 5 };
    const added = planned({ ...trashed, progress: place }, add);
    expect(added).toMatchObject({ timeAdded: now, tags: "", state: "0", continues: 1000, progress: place });
    expect(planned({ ...trashed, continues: 900 }, add)?.continues).toBe(900);
    const anew = planned({ ...trashed, progress: place, timeUpdated: now - trashKeptSeconds }, add);
    expect([anew?.continues, anew?.progress]).toEqual([undefined, undefined]);
  });
});

describe("progress", () => {
  test("of an earlier time is ignored, and an equal one writes nothing", () => {
    const read = { ...live, progress: { percent: 90, anchor: "", time: now - 5 } };
    expect(planned(read, progress(30, now - 6))).toBeUndefined();
    expect(planned(read, progress(90))).toBeUndefined();
    expect(planned(read, progress(30, now - 5))?.progress).toEqual({ percent: 30, anchor: "", time: now - 5 });
    expect(planned({ ...read, progress: { percent: 90, anchor: "", time: now + 99 } }, progress(30))).toMatchObject({
      progress: { percent: 30, time: now },
    });
  });

  test("without other changes leaves the time of the content; with another change both move", () => {
    const first = planned(live, progress(10));
    expect(first?.timeOfContent).toBe(2000);
    expect(planned({ ...live, timeOfContent: 1500 }, progress(10))?.timeOfContent).toBe(1500);
    expect(planned(live, progress(10), { kind: "unread", itemId: "1" })?.timeOfContent).toBeUndefined();
    expect(planned(live, progress(10), add)?.timeOfContent).toBeUndefined();
  });
});
