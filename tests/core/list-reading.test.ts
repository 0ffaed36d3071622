// SPDX-License-Identifier: MIT

import { type Item, isAsSeen, parseChangeTime, toChangeKey } from "@reading-list/core/domain/item.ts";
import {
  hasFormerItems,
  isCounted,
  isLeftByChanges,
  isUnfiltered,
  type ListFilter,
  listKinds,
  nameList,
  toItemMatcher,
  wantedState,
} from "@reading-list/core/domain/list-filter.ts";
import { countListingCalls, findPagePlace, type PagedList } from "@reading-list/core/domain/list-pages.ts";
import type { ListRange } from "@reading-list/core/domain/list-range.ts";
import { deletionsIn, hasDeletions, pickItemPart, withDeletions } from "@reading-list/core/domain/list-reading.ts";
import { newerState, planListWrite } from "@reading-list/core/domain/list-write.ts";
import { addPageEnd, beginWalk, chooseLaterSince, findPageEnd, type PageEnd } from "@reading-list/core/domain/walks.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

const range: ListRange = {
  filter: [],
  after: undefined,
  itemId: undefined,
  skip: 0,
  limit: undefined,
  deletions: "asRead",
};
const list: PagedList & { revision: number } = { countUnread: 3000, countRead: 2000, revision: 7, walks: {} };

const itemAt = (timeUpdated: number, fields: Partial<Item> = {}): Item => ({
  itemId: String(timeUpdated),
  url: "https://example.com/",
  title: "T",
  tags: "",
  state: "0",
  applicationId: "app",
  refId: undefined,
  isDeleted: false,
  timeAdded: 1,
  timeUpdated,
  changeKey: toChangeKey(timeUpdated, 1, 0),
  ...fields,
});
const idsOf = (items: readonly Item[]) => items.map(({ itemId }) => itemId);

describe("a page", () => {
  test("is counted from the nearer end", () => {
    const place = (skip: number, filter: ListFilter = []) => findPagePlace(list, { ...range, filter, skip, limit: 30 });
    expect(place(0)).toEqual({ order: "newestFirst", skip: 0, limit: 30 });
    expect(place(2400)).toEqual({ order: "newestFirst", skip: 2400, limit: 30 });
    expect(place(2700)).toEqual({ order: "oldestFirst", skip: 2270, limit: 30 });
    expect(place(4980)).toEqual({ order: "oldestFirst", skip: 0, limit: 20 });
    expect(place(2400, [{ kind: "state", state: "0" }])).toEqual({ order: "oldestFirst", skip: 570, limit: 30 });
    expect(place(5000)).toMatchObject({ limit: 0 });
  });

  test("is counted from the top if the number of the items is unknown", () => {
    const ofApplication: ListRange = {
      ...range,
      filter: [{ kind: "application", applicationId: "app" }],
      skip: 4000,
      limit: 30,
    };
    expect(findPagePlace(list, ofApplication)).toEqual({ order: "newestFirst", skip: 4000, limit: 30 });
    expect(findPagePlace(list, { ...range, after: 5, skip: 4000, limit: 30 })).toMatchObject({ order: "newestFirst" });
  });

  test("is the same part of the list from either end", () => {
    const items = Array.from({ length: 60 }, (_, n) => n);
    fc.assert(
      fc.property(fc.nat(60), fc.nat(80), fc.integer({ min: 1, max: 80 }), (countUnread, skip, limit) => {
        const whole = items.slice(0, countUnread);
        const place = findPagePlace({ ...list, countUnread, countRead: 0 }, { ...range, skip, limit });
        const ordered = place.order === "newestFirst" ? whole : whole.toReversed();
        const page = ordered.slice(place.skip, place.skip + place.limit);
        expect(place.order === "newestFirst" ? page : page.reverse()).toEqual(whole.slice(skip, skip + limit));
        expect(place.limit === 0 || place.skip <= countUnread / 2).toBe(true);
      }),
    );
  });

  test("of 1,000 items and more above its end remembers it, with the last item and the revision", () => {
    const page = { ...range, skip: 990, limit: 30 };
    const ends = addPageEnd(list, page, 30, "key");
    expect(ends).toEqual([{ list: " ", above: 1020, cursor: "key", revision: 7 }]);
    const next = { ...page, skip: 1020 };
    expect(findPageEnd({ ends }, next)).toMatchObject({ cursor: "key" });
    expect(findPageEnd({ ends }, { ...next, filter: [{ kind: "state", state: "0" }] })).toBeUndefined();
    expect(addPageEnd(list, page, 29, "key")).toBeUndefined();
    expect(addPageEnd(list, { ...page, skip: 0 }, 30, "key")).toBeUndefined();
  });
});

describe("a listing counts a call for", () => {
  const callsOf = (change: Partial<ListRange>, of: Partial<PagedList> = {}) =>
    countListingCalls({ ...list, ...of }, { ...range, ...change });

  test("each 1,000 items of the list, or of its items in a state", () => {
    expect(callsOf({})).toBe(5);
    expect(callsOf({}, { countRead: 2001 })).toBe(6);
    expect(callsOf({}, { countUnread: 0, countRead: 0 })).toBe(1);
    expect([
      callsOf({ filter: [{ kind: "state", state: "0" }] }),
      callsOf({ filter: [{ kind: "state", state: "1" }] }),
    ]).toEqual([3, 2]);
  });

  test("each 1,000 items of a page, and items that a jump to it skips", () => {
    expect(callsOf({ limit: 1001 })).toBe(2);
    expect(callsOf({ skip: 999, limit: 30 })).toBe(1);
    expect(callsOf({ skip: 2000, limit: 30 })).toBe(1 + 2);
    expect(callsOf({ skip: 4500, limit: 1500 })).toBe(1 + 4);
  });

  test("only a page if it continues another, or is behind the end of the list", () => {
    const walks = { ends: [{ list: " ", above: 2000 }] };
    expect(callsOf({ skip: 2000, limit: 30 }, { walks })).toBe(1);
    expect(callsOf({ skip: 2001, limit: 30 }, { walks })).toBe(3);
    expect(callsOf({ skip: 2000, limit: 30, filter: [{ kind: "state", state: "0" }] }, { walks })).toBe(3);
    expect(callsOf({ skip: 5000, limit: 30 })).toBe(1);
  });

  test("itself, if it is of one item, or of changes, whose number is unknown", () => {
    expect(callsOf({ itemId: "1" })).toBe(1);
    expect(callsOf({ after: 0, skip: 3000, limit: 3000 })).toBe(1);
  });
});

describe("the since of a later page", () => {
  const hour = 3600;
  const now = 100 * hour;
  const first = beginWalk({}, { since: 5, startedAt: now - 2 * hour });
  const walks = beginWalk(first, { since: 9, startedAt: now - hour });
  test.each([
    ["is that of the oldest walk that may be under way", now, 20, 3, 5],
    ["is that of the latest walk, if the one before began more than two hours ago", now + 1, 20, 3, 9],
    ["is at most the time of the list", now, 4, 3, 4],
    ["is the one that the client sent, if an item has left the list since the walk began", now, 20, 6, 1],
  ])("%s", (_, at, asOf, leftAt, since) => {
    expect(chooseLaterSince(walks, { now: at, asOf, after: 1, leftAt })).toBe(since);
  });

  test("is the one that the client sent, or 0, if no walk has begun", () => {
    expect(chooseLaterSince({}, { now, asOf: 20, after: 7, leftAt: 3 })).toBe(7);
    expect(chooseLaterSince({}, { now, asOf: 20, leftAt: 3 })).toBe(0);
  });

  test("keeps the walk that began within the last hour", () => {
    expect(beginWalk(walks, { since: 12, startedAt: now - 1 })).toBe(walks);
    expect(beginWalk(walks, { since: 12, startedAt: now }).earlier).toBe(walks.latest);
  });
});

test("the ends of the last four pages of a list are remembered, of twelve in all", () => {
  const add = (ends: readonly PageEnd[], filter: ListFilter, skip: number) =>
    addPageEnd({ ...list, walks: { ends } }, { ...range, filter, skip, limit: 30 }, 30, "key") ?? [];
  const walk = (ends: readonly PageEnd[], filter: ListFilter) =>
    [1000, 1030, 1060, 1090, 1120].reduce((before, skip) => add(before, filter, skip), ends);
  const aboveOf = (ends: readonly PageEnd[], name: string) =>
    ends.filter((end) => end.list === name).map(({ above }) => above);
  const ofOne = walk([], []);
  expect(aboveOf(ofOne, " ")).toEqual([1060, 1090, 1120, 1150]);
  expect(aboveOf(add(ofOne, [], 1030), " ")).toEqual([1090, 1120, 1150, 1060]);
  const filters: ListFilter[] = [
    [{ kind: "state", state: "0" }],
    [{ kind: "state", state: "1" }],
    [{ kind: "application", applicationId: "app" }],
  ];
  const ofAll = filters.reduce(walk, ofOne);
  expect(ofAll).toHaveLength(12);
  expect(["0 ", "1 ", " app"].map((name) => aboveOf(ofAll, name).length)).toEqual([4, 4, 4]);
  expect(add([], [], 970)).toHaveLength(1);
});

describe("a filter", () => {
  const item = itemAt(5);
  test.each([
    [[], true, true, ["unread", "read"], true],
    [[{ kind: "state", state: "0" }], false, true, ["unread"], true],
    [[{ kind: "state", state: "1" }], false, true, ["read"], false],
    [[{ kind: "application", applicationId: "app" }], false, false, ["unread", "read"], true],
    [[{ kind: "application", applicationId: "another" }], false, false, ["unread", "read"], false],
  ] as const)("%j", (filter, unfiltered, counted, kinds, shown) => {
    expect([isUnfiltered(filter), isCounted(filter), listKinds(filter), toItemMatcher(filter)(item)]).toEqual([
      unfiltered,
      counted,
      kinds,
      shown,
    ]);
  });
});

test("the page ends of a listing have a name for each state, application and further condition", () => {
  const state = { kind: "state", state: "1" } as const;
  const application = { kind: "application", applicationId: "app" } as const;
  const starred = { kind: "starred" } as const;
  expect([[], [state], [application], [state, application], [starred], [application, starred]].map(nameList)).toEqual([
    " ",
    "1 ",
    " app",
    "1 app",
    '  [{"kind":"starred"}]',
    ' app [{"kind":"starred"}]',
  ]);
  expect([[], [starred, state], [application]].map(wantedState)).toEqual([undefined, "1", undefined]);
  expect(isLeftByChanges([application, starred])).toBe(true);
});

test("a change may remove an item from a listing by state, and an application may have items that another has added", () => {
  expect([
    isLeftByChanges([{ kind: "state", state: "0" }]),
    isLeftByChanges([{ kind: "application", applicationId: "app" }]),
  ]).toEqual([true, false]);
  expect([
    hasFormerItems([{ kind: "application", applicationId: "app" }]),
    hasFormerItems([{ kind: "state", state: "0" }]),
  ]).toEqual([true, false]);
});

describe("deletions", () => {
  const deleted = itemAt(20, { isDeleted: true, state: "1" });
  const former = itemAt(30, { applicationId: "another", formerApplications: { app: 15 } });
  const sync = { ...range, after: 10 };

  test("are tombstones after the `since` and, for one application, items that another one has added again", () => {
    expect(idsOf(deletionsIn([deleted, former, itemAt(40)], [], 10))).toEqual(["20"]);
    const own = deletionsIn([deleted, former, itemAt(40)], [{ kind: "application", applicationId: "app" }], 10);
    expect(own.map(({ itemId, timeUpdated, state }) => [itemId, timeUpdated, state])).toEqual([
      ["20", 20, "1"],
      ["30", 15, "1"],
    ]);
    expect(deletionsIn([deleted, former], [{ kind: "application", applicationId: "app" }], 20)).toEqual([]);
  });

  test("are read items in their place, unless the client asks for them apart or for unread items", () => {
    const items = [itemAt(30), itemAt(12)];
    const part = (change: Partial<ListRange>) =>
      withDeletions({ deletedAt: 20 }, { ...sync, ...change }, items, [deleted]);
    expect(idsOf(part({}).items)).toEqual(["30", "20", "12"]);
    expect(idsOf(part({ skip: 1, limit: 1 }).items)).toEqual(["20"]);
    expect(idsOf(part({ deletions: "apart" }).items)).toEqual(["30", "12"]);
    expect(idsOf(part({ filter: [{ kind: "state", state: "0" }] }).items)).toEqual(["30", "12"]);
    expect(idsOf(part({ deletions: "apart" }).deleted)).toEqual(["20"]);
  });

  test("lack an item that was added again", () => {
    const { items, deleted: gone } = withDeletions({ deletedAt: 20 }, sync, [itemAt(30, { itemId: "20" })], [deleted]);
    expect([idsOf(items), gone]).toEqual([["20"], []]);
  });

  test("are looked for if the newest is after the `since`", () => {
    const has = (after: number | undefined) => hasDeletions({ deletedAt: 20 }, { after });
    expect([has(19), has(20), has(0), has(undefined)]).toEqual([true, false, true, false]);
  });

  test("are shown for one item, too", () => {
    expect(pickItemPart(deleted, { ...sync, skip: 1 }, 50)).toEqual({ items: [], deleted: [] });
    expect(pickItemPart(deleted, { ...sync, after: 0 }, 20).deleted).toHaveLength(1);
    expect(pickItemPart(itemAt(10), sync, 50).items).toEqual([]);
    expect(pickItemPart(itemAt(50), sync, 50).items).toHaveLength(1);
    expect(pickItemPart(deleted, sync, 50)).toMatchObject({ items: [{ itemId: "20" }], deleted: [{ itemId: "20" }] });
    expect(pickItemPart(deleted, range, 50)).toEqual({ items: [], deleted: [] });
    expect(pickItemPart(deleted, { ...sync, deletions: "apart" }, 50).items).toEqual([]);
    expect(pickItemPart(itemAt(60), sync, 50).items).toEqual([]);
    expect(pickItemPart(itemAt(60), range, 50).items).toHaveLength(1);
    expect(
      pickItemPart(itemAt(60), { ...range, filter: [{ kind: "application", applicationId: "another" }] }, 70).items,
    ).toEqual([]);
  });
});

describe("a write", () => {
  const state = { clock: { lastSince: 100, changedAt: 120, highlightsAt: 0, keptAt: 0 }, revision: 4, unfinished: [] };
  const seen = itemAt(120);

  test("gives the items the same time, the next revision, and their positions", () => {
    const { items, after } = planListWrite(
      state,
      [0, 1].map(() => ({ before: undefined, after: seen })),
      110,
      undefined,
    );
    expect(items.map(({ changeKey }) => changeKey)).toEqual(["0000000120#0000000005#00", "0000000120#0000000005#01"]);
    expect(parseChangeTime(items[0]?.changeKey ?? "")).toBe(120);
    expect(after).toMatchObject({ revision: 5, clock: { lastSince: 100, changedAt: 120 } });
  });

  test("counts items by kind, and items of the same second separately", () => {
    const read = { before: seen, after: { ...seen, state: "1" as const } };
    const gone = { before: itemAt(50), after: { ...seen, isDeleted: true } };
    const added = { before: undefined, after: seen };
    expect(planListWrite(state, [read, gone, added], 110, undefined)).toMatchObject({
      counts: { unread: -1, read: 1, deleted: 1 },
      newest: { unread: 0, read: 1, deleted: 1 },
      isNewTime: false,
      deletedAt: 120,
    });
    expect(planListWrite(state, [read, added], 130, undefined)).toMatchObject({
      counts: { unread: 0, read: 1, deleted: 0 },
      newest: { unread: 1, read: 1, deleted: 0 },
      isNewTime: true,
      deletedAt: undefined,
    });
  });

  test("keeps the original times of what is imported into a list that was never synced, but none of the future", () => {
    const imported = (lastSince: number, timeUpdated: number, timeAdded: number) =>
      planListWrite(
        { ...state, clock: { ...state.clock, lastSince } },
        [{ before: undefined, after: seen, original: { timeAdded, timeUpdated } }],
        150,
        undefined,
      );
    expect(imported(0, 40, 30)).toMatchObject({
      items: [{ timeUpdated: 40, timeAdded: 30 }],
      after: { clock: { changedAt: 120 } },
      isBackdated: true,
      isNewTime: false,
      newest: { unread: 0 },
    });
    expect(imported(0, 900, 900)).toMatchObject({ items: [{ timeUpdated: 150, timeAdded: 150 }], isBackdated: false });
    expect(imported(100, 40, 30)).toMatchObject({ items: [{ timeUpdated: 150, timeAdded: 30 }], isBackdated: false });
  });

  test("reports that highlights leave and come back with their item", () => {
    const marked = { ...itemAt(50), hasHighlights: true };
    const gone = { ...marked, isDeleted: true, state: "1" as const };
    const left = planListWrite(state, [{ before: marked, after: gone }], 130, undefined);
    expect(left).toMatchObject({ after: { clock: { highlightsAt: 130 } }, bringsHighlights: false });
    expect(left.items[0]?.highlightsToldAt).toBeUndefined();
    expect(planListWrite(state, [{ before: gone, after: marked, isRestored: true }], 130, undefined)).toMatchObject({
      items: [{ highlightsToldAt: 130 }],
      after: { clock: { highlightsAt: 130 } },
      bringsHighlights: true,
    });
    for (const before of [marked, { ...gone, hasHighlights: false }]) {
      const write = { before, after: { ...before, isDeleted: before.isDeleted, title: "Other" } };
      expect(planListWrite(state, [write], 130, undefined)).toMatchObject({
        after: { clock: { highlightsAt: 0 } },
        bringsHighlights: false,
      });
    }
  });

  test("records the progress of its batch, and keeps the progress of others", () => {
    const [other, earlier] = [
      { digest: "other", done: 99, at: 100 },
      { digest: "own", done: 99, at: 100 },
    ];
    const unfinished = [other, earlier];
    const step = { digest: "own", done: 198, at: 130, isLast: false };
    const unfinishedAfter = (each?: typeof step) =>
      planListWrite({ ...state, unfinished }, [], 130, each).after.unfinished;
    expect(unfinishedAfter()).toEqual(unfinished);
    expect(unfinishedAfter(step)).toEqual([{ digest: "own", done: 198, at: 130 }, other]);
    expect(unfinishedAfter({ ...step, isLast: true })).toEqual([other]);
  });

  test("depends on the newer of two states, and on the newest `since` of both", () => {
    const known = { ...state, userId: "ann" };
    const newer = { ...known, revision: 5, clock: { ...state.clock, lastSince: 90, changedAt: 125 } };
    const both = { revision: 5, clock: { lastSince: 100, changedAt: 125 } };
    expect(newerState(known, newer)).toMatchObject(both);
    expect(newerState(newer, known)).toMatchObject(both);
    expect(newerState(known, { ...newer, userId: "bob" })).toEqual(known);
    expect(newerState(known, undefined)).toEqual(known);
  });

  test("is refused if an item was changed, or purged, since it was read", () => {
    const trashed = itemAt(20, { isDeleted: true, trashedState: "0" });
    expect(isAsSeen(seen, seen)).toBe(true);
    expect(isAsSeen(undefined, undefined)).toBe(true);
    expect(isAsSeen(itemAt(121), seen)).toBe(false);
    expect(isAsSeen(undefined, seen)).toBe(false);
    expect(isAsSeen(seen, undefined)).toBe(false);
    expect(isAsSeen(trashed, trashed)).toBe(true);
    expect(isAsSeen({ ...trashed, trashedState: undefined }, trashed)).toBe(false);
  });
});
