// SPDX-License-Identifier: MIT

import type { LocalItem } from "@reading-list/client/main.ts";
import type { Condition } from "@reading-list/core/domain/condition.ts";
import { type Item, itemsIn } from "@reading-list/core/domain/item.ts";
import { type ListFilter, toItemMatcher } from "@reading-list/core/domain/list-filter.ts";
import { toQueryMatcher } from "@reading-list/core/domain/list-query.ts";
import { parseSearch } from "@reading-list/core/domain/search-query.ts";
import { tagsIn } from "@reading-list/core/domain/tags.ts";
import type { TestUser } from "@reading-list/testing/client.ts";
import { type AskedFilter, filteringApps } from "@reading-list/testing/filtering-apps.ts";
import { searchingApps } from "@reading-list/testing/searching-apps.ts";
import { startDynamodbService, startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { filterItems } from "@reading-list/web/data/filter-items.ts";
import { findItems } from "@reading-list/web/data/local-search.ts";
import { beforeAll, describe, expect, inject, test } from "vitest";

const at = (date: string) => Date.parse(date) / 1000;

/** Pages by the names that the tables below expect. */
const pages = {
  art: { url: "https://news.example.com/1", title: "Painters", tags: "Art,starred", time: "2025-03-01" },
  road: { url: "https://www.strassen.example/2", title: "Die Straße nach Łódź", tags: "Müßig", time: "2025-06-30" },
  gas: { url: "https://gas.example/3", title: "ガス", tags: "", time: "2025-07-01" },
  dregs: { url: "https://dregs.example/4", title: "カス", tags: "two  words", time: "2025-07-01" },
  poor: { url: "https://hindi.example/5", title: "दीन", tags: "art", time: "2026-01-01", isRead: true },
  day: { url: "https://example.com/6", title: "दिन", tags: "starred", time: "2026-01-02", isRead: true },
  sigma: { url: "https://notexample.com/7", title: "ΟΔΟΣ café", tags: "x，y", time: "2026-02-01" },
} as const;
type Name = keyof typeof pages;

const nameOf = (url: string) => Object.entries(pages).find(([, page]) => page.url === url)?.[0];
const namesOf = (found: Iterable<{ url: string }>) => [...found].map(({ url }) => nameOf(url)).sort();

const stores: Record<string, () => Promise<TestService>> = {
  SQLite: () => startTestService(),
  ...(inject("dynamodbEndpoint") && { DynamoDB: () => startDynamodbService() }),
};

/** A service with the pages in the list of a user, one of them by another application. */
async function saved(store: keyof typeof stores) {
  const service = (await stores[store]?.()) as TestService;
  const user = await service.newUser();
  const other = await service.newApiKey({ applicationId: "other" });
  for (const [name, { url, title, tags, time, ...rest }] of Object.entries(pages)) {
    const app = name === "gas" ? { apikey: other } : {};
    await user.ok("add", { url, title, tags, time_added: at(time), ...app });
    if ("isRead" in rest) await user.send({ read: [{ url }] });
  }
  const list = async (filter: ListFilter) => {
    const record = await service.operator.users.find(user.credentials.username);
    if (!record) throw new Error("the user is gone");
    const range = { after: undefined, itemId: undefined, skip: 0, limit: undefined, deletions: "apart" } as const;
    return itemsIn((await service.operator.items.list(record, { filter, ...range })).items);
  };
  return { service, user, list };
}

let user: TestUser;
let items: Item[];
let localItems: LocalItem[];
beforeAll(async () => {
  const { list, ...first } = await saved("SQLite");
  user = first.user;
  items = await list([]);
  localItems = items.map(({ itemId, url, title, tags, state, timeAdded }) => ({
    itemId,
    url,
    title,
    tags: tagsIn(tags),
    state: state === "0" ? "unread" : "read",
    timeAdded: new Date(1000 * timeAdded),
    timeUpdated: new Date(1000 * timeAdded),
    isPending: false,
  }));
});

/** Searches, and the pages that each of them finds wherever it is asked. */
const searches: [search: string, found: Name[]][] = [
  ["strasse", ["road"]],
  ["STRAẞE lodz", ["road"]],
  ["カス", ["dregs"]],
  ["ガス", ["gas"]],
  ["दिन", ["day"]],
  ["दीन", ["poor"]],
  ["οδος", ["sigma"]],
  ["cafe", ["sigma"]],
  ["CAFÉ", ["sigma"]],
  ["example -painters -cafe -strassen", ["gas", "dregs", "poor", "day"]],
  ["tag:art", ["art", "poor"]],
  ["tag:ÁRT", ["art", "poor"]],
  ["-tag:art tag:starred", ["day"]],
  ["tag:mussig", ["road"]],
  ['tag:"Two Words"', ["dregs"]],
  ["tag:x", []],
  ["tag:ar", []],
  ["site:example.com", ["art", "day"]],
  ["site:WWW.Example.com", ["art", "day"]],
  ["site:news.example.com", ["art"]],
  ["-site:example", ["art", "day", "sigma"]],
  ["is:starred", ["art", "day"]],
  ["is:starred is:unread", ["art"]],
  ["is:archived -is:starred", ["poor"]],
  ["added:2025-06..2025-07-01 -strasse", ["gas", "dregs"]],
  ["added:..2025-03", ["art"]],
  ["added:2026 tag:art", ["poor"]],
];

describe("a search finds the same", () => {
  test.each(searches)("by its endpoint: %s", async (query, found) => {
    const { list } = JSON.parse((await user.ok("search", { query, count: 99 })).body);
    expect(namesOf(list)).toEqual([...found].sort());
  });

  test.each(Object.entries(searchingApps))("by the API of %s", async (_, signIn) => {
    const searchFor = await signIn(user);
    const names = Object.fromEntries(Object.entries(pages).map(([name, { title }]) => [title, name]));
    for (const [search, found] of searches) {
      const { titles } = await searchFor(search);
      expect(titles.map((title) => names[title]).sort(), search).toEqual([...found].sort());
    }
  });

  test.each(searches)("in a list without an index: %s", (search, found) => {
    expect(namesOf(items.filter(toQueryMatcher({ search })))).toEqual([...found].sort());
  });

  test.each(searches)("on a device: %s", (search, found) => {
    const { byFields, byText, unsure } = findItems(localItems, parseSearch(search), new Map());
    expect(namesOf([...byFields, ...byText, ...unsure])).toEqual([...found].sort());
  });
});

/** Conditions, and the pages that meet each of them. */
const conditions: [condition: Condition, meeting: Name[]][] = [
  [{ kind: "state", state: "1" }, ["poor", "day"]],
  [{ kind: "application", applicationId: "other" }, ["gas"]],
  [{ kind: "starred" }, ["art", "day"]],
  [{ kind: "untagged" }, ["gas", "day"]],
  [{ kind: "tag", tag: "art" }, ["art", "poor"]],
  [{ kind: "tag", tag: "x,y" }, ["sigma"]],
  [{ kind: "exactTag", tag: "art" }, ["poor"]],
  [{ kind: "site", site: "example.com" }, ["art", "day"]],
  [{ kind: "host", host: "example.com" }, ["day"]],
  [{ kind: "added", from: at("2025-07-01"), to: at("2026-01-01") }, ["gas", "dregs", "poor"]],
  [{ kind: "not", condition: { kind: "untagged" } }, ["art", "road", "dregs", "poor", "sigma"]],
  [{ kind: "all", conditions: [] }, ["art", "road", "gas", "dregs", "poor", "day", "sigma"]],
  [{ kind: "any", conditions: [] }, []],
  [{ kind: "any", conditions: [{ kind: "starred" }, { kind: "tag", tag: "ART" }] }, ["art", "poor", "day"]],
];

describe("a condition is met by the same pages", () => {
  test.each(conditions)("in memory: %j", (condition, meeting) => {
    expect(namesOf(items.filter(toItemMatcher([condition])))).toEqual([...meeting].sort());
  });

  test.each(Object.keys(stores))("in a list of %s", async (store) => {
    const { list } = await saved(store);
    for (const [condition, meeting] of conditions)
      expect(namesOf(await list([condition])), JSON.stringify(condition)).toEqual([...meeting].sort());
  });
});

/** Filters as apps ask for them, and the pages that each API with such a filter shows. */
const filters: [filter: AskedFilter, shown: Name[]][] = [
  [{ state: "unread" }, ["art", "road", "gas", "dregs", "sigma"]],
  [{ state: "archived" }, ["poor", "day"]],
  [{ isStarred: true }, ["art", "day"]],
  [{ isStarred: true, state: "unread" }, ["art"]],
  [{ isStarred: false, state: "archived" }, ["poor"]],
  [{ tag: "art" }, ["art", "poor"]],
  [{ tag: "ÁRT" }, ["art", "poor"]],
  [{ tag: "art", state: "archived" }, ["poor"]],
  [{ tag: "MUSSIG" }, ["road"]],
  [{ tag: "Two Words" }, ["dregs"]],
  [{ tag: "ar" }, []],
  [{ isUntagged: true }, ["gas", "day"]],
  [{ site: "WWW.Example.com" }, ["art", "day"]],
  [{ site: "example.com", state: "unread" }, ["art"]],
  [{ site: "example" }, ["road", "gas", "dregs", "poor"]],
  [{ words: "strasse LODZ" }, ["road"]],
  [{ words: "カス" }, ["dregs"]],
  [{ words: "ガス" }, ["gas"]],
  [{ words: "cafe", tag: "x，y" }, ["sigma"]],
];

test.each(Object.entries(filteringApps))("a filter shows the same pages by the API of %s", async (_, signIn) => {
  const ask = await signIn(user);
  for (const [filter, shown] of filters) {
    const urls = await ask(filter);
    if (urls) expect(namesOf(urls.map((url) => ({ url }))), JSON.stringify(filter)).toEqual([...shown].sort());
  }
});

test("a filter of the web reader shows the same as a search", () => {
  expect(namesOf(filterItems(localItems, { tag: "art" }))).toEqual(["art", "poor"]);
  expect(namesOf(filterItems(localItems, { site: "example.com" }))).toEqual(["art", "day"]);
  expect(namesOf(filterItems(localItems, { isUntagged: true }))).toEqual(["day", "gas"]);
});
