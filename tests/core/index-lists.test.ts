// SPDX-License-Identifier: MIT

import type { IndexState } from "@reading-list/core/ports/search.ts";
import type { User } from "@reading-list/core/ports/users.ts";
import { IndexedLists, type IndexerPorts } from "@reading-list/core/use-cases/lists/index-lists.ts";
import { expect, test } from "vitest";

const userAt = (changedAt: number) =>
  ({
    username: "ann",
    userId: "1",
    revision: changedAt,
    articles: 0,
    articleBytes: 0,
    clock: { lastSince: changedAt, changedAt, highlightsAt: 0, keptAt: 0 },
  }) as User;

test("a search that joins an update which began before the last change waits for another update", async () => {
  let state: IndexState | undefined;
  const listedAt = [5, 9];
  const ports = {
    items: { list: async () => ({ items: [], deleted: [], asOf: listedAt.shift() }) },
    highlights: { async *walk() {} },
    searchIndex: {
      state: async () => state,
      setState: async (_: string, next: IndexState) => {
        state = next;
      },
      drop: async () => {},
      remove: async () => {},
    },
  };
  const lists = new IndexedLists(ports as unknown as IndexerPorts, { waitMs: 60_000 });
  expect(await Promise.all([lists.update(userAt(5)), lists.update(userAt(9))])).toEqual([5, 9]);
  expect(state?.asOf).toBe(9);
});

test("an index asks for the articles of only those pages that have one", async () => {
  const item = (itemId: string) => ({
    itemId,
    url: `https://pages.example/${itemId}`,
    title: "",
    tags: "",
    state: "0",
  });
  const asked: string[] = [];
  const put: string[] = [];
  const ports = {
    items: { list: async () => ({ items: [[item("1"), item("2"), item("3")]], deleted: [], asOf: 5 }) },
    highlights: { async *walk() {} },
    articles: {
      sizes: async () => new Map([["2", 100]]),
      find: async (_: User, itemId: string) => void asked.push(itemId),
    },
    searchIndex: {
      state: async () => undefined,
      setState: async () => {},
      drop: async () => {},
      size: async () => 0,
      putPages: async (_: string, pages: { itemId: string }[]) => pages.map(({ itemId }) => itemId),
      putContents: async (_: string, contents: { page: { itemId: string } }[]) => {
        put.push(...contents.map(({ page }) => page.itemId));
      },
    },
  };
  await new IndexedLists(ports as unknown as IndexerPorts, { waitMs: 60_000 }).update(userAt(5));
  expect([asked, put]).toEqual([["2"], ["1", "2", "3"]]);
});

test("pages with long notes are passed to the index a few at a time, which copies them", async () => {
  const ids = ["1", "2", "3", "4", "5"];
  const item = (itemId: string) => ({ itemId, url: "https://pages.example", title: "", tags: "", hasHighlights: true });
  const compared: string[][] = [];
  const put: string[][] = [];
  const ports = {
    items: { list: async () => ({ items: [ids.map(item)], deleted: [], asOf: 5 }) },
    highlights: {
      async *walk() {},
      async *walkItem() {
        yield [{ quote: "", note: "n".repeat(600_000) }];
      },
    },
    articles: { sizes: async () => new Map() },
    searchIndex: {
      state: async () => undefined,
      setState: async () => {},
      drop: async () => {},
      size: async () => 0,
      putPages: async (_: string, pages: { itemId: string }[]) => {
        compared.push(pages.map(({ itemId }) => itemId));
        return pages.map(({ itemId }) => itemId);
      },
      putContents: async (_: string, contents: { page: { itemId: string } }[]) => {
        put.push(contents.map(({ page }) => page.itemId));
      },
    },
  };
  await new IndexedLists(ports as unknown as IndexerPorts, { waitMs: 60_000 }).update(userAt(5));
  expect(compared).toEqual([["1", "2"], ["3", "4"], ["5"]]);
  expect(put).toEqual(compared);
});
