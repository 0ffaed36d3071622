// SPDX-License-Identifier: MIT

import {
  byTimeAdded,
  type Change,
  orderItems,
  parseAddition,
  planWrite,
  type TagChange,
} from "@reading-list/core/domain/changes.ts";
import { erased, type Item, isInTrash, trashKeptSeconds } from "@reading-list/core/domain/item.ts";
import { toItemId } from "@reading-list/core/domain/item-id.ts";
import { planListWrite } from "@reading-list/core/domain/list-write.ts";
import { maxLengths } from "@reading-list/core/domain/page-fields.ts";
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

describe("a page", () => {
  test("is added with the fields of the change; without a title, its title is its URL", () => {
    const url = "http://e.example/new";
    const addition = parseAddition({ url, title: "N", tags: "x,y", ref_id: "r", time_added: 7 });
    expect(addition).toEqual({
      kind: "add",
      itemId: toItemId(url),
      url,
      title: "N",
      tags: "x,y",
      refId: "r",
      timeAdded: 7,
    });
    expect(planWrite(undefined, [addition], "other", now)).toEqual({
      before: undefined,
      after: {
        itemId: toItemId(url),
        url,
        title: "N",
        tags: "x,y",
        state: "0",
        applicationId: "other",
        refId: "r",
        isDeleted: false,
      },
      original: { timeAdded: 7, timeUpdated: undefined },
    });
    const bare = planWrite(undefined, [parseAddition({ url })], "other", now);
    expect(bare).toMatchObject({ after: { title: url, tags: "" } });
    expect(bare).not.toHaveProperty("original");
  });

  test("that is in the list becomes unread, and keeps its application and every field that is not given", () => {
    const read: Item = { ...live, refId: "r" };
    const again = planWrite(read, [parseAddition({ url: live.url, time_added: 7 })], "other", now);
    expect(again).toEqual({ before: read, after: { ...read, state: "0" } });
    const given = parseAddition({ url: live.url, title: "N", tags: "b", ref_id: "s" });
    expect(planWrite(read, [given], "other", now)?.after).toMatchObject({ title: "N", tags: "b", refId: "s" });
  });

  test("gets the state, title and tags of a change; a change that alters nothing writes nothing", () => {
    const unread: Item = { ...live, state: "0" };
    expect(planWrite(unread, [{ kind: "read", itemId: "1" }], "other", now)).toEqual({
      before: unread,
      after: { ...unread, state: "1" },
    });
    expect(planned(live, { kind: "unread", itemId: "1" })).toMatchObject({ state: "0", title: "T" });
    expect(planned(live, { kind: "title", itemId: "1", title: "U" })).toMatchObject({ title: "U", tags: "a" });
    expect(planned(live, { kind: "tags", itemId: "1", tags: "b,c" })).toMatchObject({ title: "T", tags: "b,c" });
    const same: Change[] = [
      { kind: "read", itemId: "1" },
      { kind: "title", itemId: "1", title: "T" },
      { kind: "tags", itemId: "1", tags: "a" },
    ];
    expect(planned(live, ...same)).toBeUndefined();
    expect(planned(live, { kind: "delete", itemId: "1" })).toMatchObject({ isDeleted: true });
  });

  test("that is not in the list, or deleted, takes no other change than an addition", () => {
    const changes: Change[] = [
      { kind: "read", itemId: "1" },
      { kind: "title", itemId: "1", title: "U" },
      { kind: "retag", itemId: "1", add: ["b"], remove: [] },
      { kind: "delete", itemId: "1" },
      progress(5),
    ];
    for (const before of [undefined, trashed, erased(trashed)]) expect(planned(before, ...changes)).toBeUndefined();
    expect(planned(undefined, add, { kind: "title", itemId: "1", title: "U" })).toMatchObject({ title: "U" });
    expect(planned(undefined, add, { kind: "delete", itemId: "1" })).toBeUndefined();
  });

  test("is restored in the state of its deletion", () => {
    expect(planned({ ...trashed, state: "0", trashedState: "1" }, restore)).toMatchObject({ state: "1" });
    const write = planWrite(trashed, [restore, { kind: "title", itemId: "1", title: "U" }], "other", now);
    expect(write).toMatchObject({ isRestored: true, after: { title: "U", isDeleted: false } });
    expect(planned(trashed, { kind: "title", itemId: "1", title: "U" }, restore)).toBeUndefined();
  });
});

describe("changes of tags", () => {
  const retag = (add: string[], remove: string[] = [], entry?: string): TagChange => ({
    kind: "retag",
    itemId: "1",
    add,
    remove,
    ...(entry !== undefined && { entry }),
  });
  const tagged = (tags: string, ...changes: Change[]) => planned({ ...live, tags }, ...changes)?.tags;

  test("apply in order, and leave all other tags as they are", () => {
    expect(tagged("a,b", retag(["c"], ["a"]))).toBe("b,c");
    expect(tagged("a,b", retag(["a"], ["a"]))).toBe("b,a");
    expect(tagged("a", retag(["b"]), retag(["c"], ["b"]))).toBe("a,c");
    expect(tagged("a", retag(["b"]), { kind: "tags", itemId: "1", tags: "x" }, retag(["y"]))).toBe("x,y");
    expect(planned(live, retag(["a"]))).toBeUndefined();
    expect(planned(live, retag(["b"]), { kind: "delete", itemId: "1" })).toMatchObject({
      isDeleted: true,
      tags: "a,b",
    });
  });

  test("are refused only if the result is too long; the error names the change without room", () => {
    const long = "l".repeat(maxLengths.tags - 2);
    expect(tagged(long, retag(["b"]))).toBe(`${long},b`);
    expect(tagged(`${long},a`, retag(["b"], ["a"]))).toBe(`${long},b`);
    const tooMany = () => tagged(long, retag(["b"], [], "add_tags[0]"), retag(["c"], [], "add_tags[1]"));
    expect(tooMany).toThrow(
      expect.objectContaining({
        kind: "invalid",
        message: `add_tags[1]: the tags of a page must be at most ${maxLengths.tags} characters together`,
      }),
    );
    expect(() => tagged(long, retag(["b", "c"]))).toThrow(/^the tags of a page/);
    // Tags that an older version stored stay, and can become fewer.
    expect(tagged(`${long},b,c`, retag([], ["b"]))).toBe(`${long},c`);
    expect(tagged(`${long},bb,c,d`, retag([], ["d"]))).toBe(`${long},bb,c`);
  });
});

describe("the order of writes", () => {
  const addAt = (itemId: string, timeAdded?: number): Change => ({ ...add, itemId, timeAdded }) as Change;

  test("has pages with a time first, by that time, and the page that was added last at the end", () => {
    expect(orderItems([addAt("1"), addAt("2", 20), addAt("3", 10), addAt("1"), addAt("4")])).toEqual([
      "3",
      "2",
      "1",
      "4",
    ]);
    expect(orderItems([addAt("1"), addAt("2"), addAt("1")])).toEqual(["2", "1"]);
    expect(orderItems([addAt("1"), addAt("2"), { kind: "read", itemId: "1" }])).toEqual(["1", "2"]);
    expect(orderItems([{ kind: "read", itemId: "1" }, addAt("2", 5)])).toEqual(["2", "1"]);
  });

  test("sorts writes by the times that pages bring", () => {
    const writes = [addAt("1"), addAt("2", 20), addAt("3", 10)].flatMap((change) => {
      const write = planWrite(undefined, [change], "other", now);
      return write ? [write] : [];
    });
    expect(writes.sort(byTimeAdded).map(({ after }) => after.itemId)).toEqual(["3", "2", "1"]);
  });
});

test("progress at the same place keeps its time; another anchor or selector is another place", () => {
  const before: Item = { ...live, progress: { percent: 9, anchor: "x", selector: "p", time: 5 } };
  const at = (anchor: string, selector?: string): Change => ({
    kind: "progress",
    itemId: "1",
    percent: 9,
    anchor,
    ...(selector && { selector }),
    time: now - 1,
  });
  expect(planned(before, at("x", "p"))).toBeUndefined();
  expect(planned(before, at("y", "p"))?.progress).toEqual({ percent: 9, anchor: "y", selector: "p", time: now - 1 });
  expect(planned(before, at("x"))?.progress).toEqual({ percent: 9, anchor: "x", time: now - 1 });
  expect(planned(before, at("x", "p"), { kind: "title", itemId: "1", title: "U" })?.progress?.time).toBe(5);
});
