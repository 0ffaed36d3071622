// SPDX-License-Identifier: MIT

import { ApiError, type Limits, type ReadingListClient, type SearchResult } from "@reading-list/client/main.ts";
import { ServiceSearch } from "@reading-list/web/data/service-search.ts";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const found = (total: number, page = 1): SearchResult => ({
  asOf: new Date(1e12),
  isPartial: false,
  total,
  items: Array.from({ length: Math.min(50, total - 50 * (page - 1)) }, (_, i) => ({
    itemId: `${50 * (page - 1) + i}`,
    url: "",
    title: "",
    tags: [],
    state: "unread" as const,
    timeAdded: new Date(0),
    timeUpdated: new Date(0),
    snippet: "",
    marks: [],
  })),
});

const failed = (kind: ApiError["kind"]) => new ApiError("no", { status: 0, kind });

/** A search with a scripted service, and the calls that it received. */
function start(answer: (query: string, page: number) => SearchResult | ApiError, limits?: Limits) {
  const calls: string[] = [];
  const client = {
    limits,
    search: async (
      query: string,
      { page = 1, prefix = false, signal }: Parameters<ReadingListClient["search"]>[1] = {},
    ) => {
      calls.push(`${query}${prefix ? "*" : ""} ${page}`);
      const result = answer(query, page);
      await Promise.resolve();
      signal?.throwIfAborted();
      if (result instanceof ApiError) throw result;
      return result;
    },
  } as unknown as ReadingListClient;
  const search = new ServiceSearch(client);
  const settled = async () => {
    await vi.advanceTimersByTimeAsync(400);
    const { state, items, total } = search.answer.value;
    return [state, items.length, total];
  };
  return { search, calls, settled, client };
}

const limitsOf = (remaining: number): Limits => ({
  user: { limit: 1000, remaining, resetSeconds: 60 },
  key: { limit: 2000, remaining: 2000, resetSeconds: 60 },
});

describe("a search on the service", () => {
  test("asks 400 ms after the last key, for the beginning of the last word, and once for the same words", async () => {
    const { search, calls, settled } = start(() => found(3));
    for (const typed of ["f", "fo", "fox"]) {
      search.ask(typed);
      await vi.advanceTimersByTimeAsync(399);
    }
    expect([calls, search.answer.value.state]).toEqual([[], "asking"]);
    expect(await settled()).toEqual(["answered", 3, 3]);
    search.ask("fox");
    await settled();
    expect(calls).toEqual(["fox* 1"]);
    search.ask("");
    expect(await settled()).toEqual(["none", 0, 0]);
    expect(calls).toHaveLength(1);
  });

  test("loads 50 pages at a time", async () => {
    const { search, calls, settled } = start((_, page) => found(120, page));
    search.ask("fox");
    expect(await settled()).toEqual(["answered", 50, 120]);
    search.more();
    search.more();
    expect(await settled()).toEqual(["answered", 100, 120]);
    search.more();
    expect(await settled()).toEqual(["answered", 120, 120]);
    expect(calls).toEqual(["fox* 1", "fox* 2", "fox* 3"]);
  });

  test("reserves a quarter of the user's and of the key's calls for syncs", async () => {
    for (const [remaining, state] of [
      [251, "answered"],
      [250, "spared"],
    ] as const) {
      const { search, calls, settled } = start(() => found(1), limitsOf(remaining));
      search.ask("fox");
      expect((await settled())[0]).toBe(state);
      expect(calls).toHaveLength(state === "answered" ? 1 : 0);
    }
    const ofKey = start(() => found(1), { ...limitsOf(1000), key: { limit: 2000, remaining: 500, resetSeconds: 60 } });
    ofKey.search.ask("fox");
    expect((await ofKey.settled())[0]).toBe("spared");
  });

  test("asks a service that has no search once, and one that refuses the password not again", async () => {
    for (const [kind, state] of [
      ["notFound", "unsupported"],
      ["unauthorized", "failed"],
    ] as const) {
      const { search, calls, settled, client } = start(() => failed(kind));
      for (const typed of ["fox", "owl"]) {
        search.ask(typed);
        expect((await settled())[0]).toBe(state);
        search.retry();
      }
      expect(calls).toHaveLength(1);
      search.renew(client);
      await settled();
      expect(calls).toHaveLength(kind === "unauthorized" ? 2 : 1);
    }
  });

  test.each([
    ["noResponse", "offline"],
    ["unavailable", "failed"],
    ["limited", "spared"],
  ] as const)("that fails with %s is asked again after the next sync", async (kind, state) => {
    const answers = [failed(kind), { ...found(1), isPartial: true }, found(2)];
    const { search, settled } = start(() => answers.shift() ?? found(0));
    search.ask("fox");
    expect(await settled()).toEqual([state, 0, 0]);
    search.retry();
    expect(await settled()).toEqual(["indexing", 1, 1]);
    search.retry();
    expect(await settled()).toEqual(["answered", 2, 2]);
    search.retry();
    expect(await settled()).toEqual(["answered", 2, 2]);
  });

  test("that is answered after another one was typed changes nothing", async () => {
    const { search, settled } = start((query) => found(query.length));
    search.ask("fox");
    vi.advanceTimersByTime(400);
    search.ask("fox owl");
    expect(await settled()).toEqual(["answered", 7, 7]);
  });
});
