// SPDX-License-Identifier: MIT

import { setImmediate as nextTurn } from "node:timers/promises";
import type { LocalItem } from "@reading-list/client/main.ts";
import { DismissedGroups } from "@reading-list/web/features/duplicates/dismissed-groups.ts";
import { findDuplicates, mergeInto } from "@reading-list/web/features/duplicates/find-duplicates.ts";
import { expect, test, vi } from "vitest";

const item = (url: string, details: Partial<LocalItem> = {}): LocalItem => ({
  url,
  title: url,
  tags: [],
  state: "unread",
  timeAdded: new Date(0),
  timeUpdated: new Date(0),
  isPending: false,
  ...details,
});

const groupsOf = async (items: readonly LocalItem[], marked: readonly string[] = []) =>
  (await findDuplicates(items, new Set(marked)))?.map(({ pages }) => pages.map(({ url }) => url));

test("pages are duplicates if their addresses are one page without tracking parameters", async () => {
  const items = ["https://a.example/x", "https://www.a.example/x/?utm_source=feed", "https://a.example/x?page=2"];
  expect(await groupsOf(items.map((url) => item(url)))).toEqual([items.slice(0, 2)]);
});

test("pages are duplicates if site and title are the same, ignoring case and accents", async () => {
  const items = [
    item("https://a.example/1", { title: "Déjà vu" }),
    item("https://a.example/2", { title: "deja vu " }),
    item("https://b.example/3", { title: "Déjà vu" }),
  ];
  expect(await groupsOf(items)).toEqual([["https://a.example/1", "https://a.example/2"]]);
});

test("a title that a site gives to more than ten pages makes no duplicates", async () => {
  const items = Array.from({ length: 11 }, (_, i) => item(`https://a.example/${i}`, { title: "Forum" }));
  expect(await groupsOf(items)).toEqual([]);
  expect((await groupsOf(items.slice(1)))?.[0]).toHaveLength(10);
});

test("the page with highlights is proposed, then one with a title, then the oldest one", async () => {
  const [marked, titled, old, young] = ["?utm_source=a", "?utm_source=b", "?utm_source=c", "?utm_source=d"].map(
    (query) => `https://a.example/${query}`,
  ) as [string, string, string, string];
  const items = [
    item(young, { timeAdded: new Date(2000) }),
    item(old, { timeAdded: new Date(1000) }),
    item(titled, { timeAdded: new Date(3000), title: "Title" }),
    item(marked, { timeAdded: new Date(4000) }),
  ];
  expect(await groupsOf(items, [marked])).toEqual([[marked, titled, old, young]]);
});

test("the selected page gets the tags of all, and the others are deleted", () => {
  const [kept, other] = [
    item("https://a.example/1", { tags: ["a"] }),
    item("https://a.example/2", { tags: ["b", "a"] }),
  ];
  expect(mergeInto(kept, { pages: [other, kept] })).toEqual([
    { kind: "tags", url: kept.url, tags: ["a", "b"], add: ["b"], remove: [] },
    { kind: "delete", url: other.url },
  ]);
});

test("a group is another one once it has another page, or pages with the same title have another title", async () => {
  const keyOf = async (paths: readonly string[], title: string) =>
    (
      await findDuplicates(
        paths.map((path) => item(`https://a.example/${path}`, { title })),
        new Set(),
      )
    )?.map(({ key }) => key);
  const [one, other] = [
    ["1", "2"],
    ["2", "1"],
  ] as const;
  expect(await keyOf(one, "Owls")).toEqual(await keyOf(other, "owls"));
  expect(await keyOf(one, "Owls")).not.toEqual(await keyOf([...one, "3"], "Owls"));
  expect(await keyOf(one, "Owls")).not.toEqual(await keyOf(one, "Larks"));
  const tracked = ["1", "1?utm_source=a"];
  expect(await keyOf(tracked, "Owls")).toEqual(await keyOf(tracked, "Larks"));
});

test("of more than 1,000 groups that were marked as no duplicates, the oldest ones are forgotten", () => {
  const groups = Array.from({ length: 1001 }, (_, i) => ({
    key: `${i}`,
    pages: [],
    hasSameAddress: true,
    canMerge: true,
  }));
  const dismissed = DismissedGroups.of("bounded");
  const undo = groups.map((group) => dismissed.add(group)).at(-1);
  expect([dismissed.all.value.size, dismissed.all.value.has("0"), dismissed.all.value.has("1000")]).toEqual([
    1000,
    false,
    true,
  ]);
  undo?.();
  expect([...DismissedGroups.of("bounded").all.value].at(-1)).toBe("999");
});

test("the search lets other tasks run every 12 ms, and can be aborted", async () => {
  const items = Array.from({ length: 1000 }, (_, i) => item(`https://a.example/${i}`, { title: `${i}` }));
  let now = performance.now();
  vi.spyOn(performance, "now").mockImplementation(() => now++);
  /** The turns of another task while the search runs. */
  const countTurns = async (search: Promise<unknown>) => {
    let turns = 0;
    let isOver = false;
    void search.finally(() => {
      isOver = true;
    });
    for (; !isOver; turns++) await nextTurn();
    return turns;
  };
  const search = findDuplicates(items, new Set());
  // All three passes: by address, by title, and the groups.
  expect(await countTurns(search)).toBeGreaterThanOrEqual(200);
  expect(await search).toEqual([]);
  const end = new AbortController();
  const aborted = findDuplicates(items, new Set(), end.signal);
  end.abort();
  expect(await countTurns(aborted)).toBeLessThan(5);
  expect(await aborted).toBeUndefined();
  vi.restoreAllMocks();
});
