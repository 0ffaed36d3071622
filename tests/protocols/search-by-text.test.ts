// SPDX-License-Identifier: MIT

import type { TestUser } from "@reading-list/testing/client.ts";
import { searchingApps } from "@reading-list/testing/searching-apps.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { type EntryPage, WallabagDevice } from "@reading-list/testing/wallabag-device.ts";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";

let service: TestService;
let user: TestUser;

beforeAll(async () => {
  service = await startTestService({ PUBLIC_KEY_ADDRESS_LIMIT: "100000" });
});
beforeEach(async () => {
  user = await service.newUser();
});

const url = (n: number) => `https://example.com/${n}`;
const text = (word: string) =>
  `<article><h1>News</h1>${`<p>The ${word} was opened again on Monday, and all agreed that it was late.</p>`.repeat(9)}</article>`;
const add = async (n: number, word: string) => {
  await user.add(url(n), { title: `Page ${n}` });
  await user.ok("article", { url: url(n), html: text(word) });
  service.clock.advance(1);
};

describe.each(Object.entries(searchingApps))("the search of %s", (_, signIn) => {
  let search: Awaited<ReturnType<typeof signIn>>;
  beforeEach(async () => {
    search = await signIn(user);
  });

  test("finds pages by words of their texts, by phrases and filters, newest first", async () => {
    await add(1, "harbour");
    await add(2, "market");
    await add(3, "Härbour");
    await user.send({ read: [{ url: url(1) }], update_tags: [{ url: url(1), tags: "starred" }] });
    for (const [words, ...titles] of [
      ["harbour", "Page 3", "Page 1"],
      ["harb", "Page 3", "Page 1"],
      ['"harbour was opened"', "Page 3", "Page 1"],
      ["monday -harbour", "Page 2"],
      ["harbour is:archived", "Page 1"],
      ["is:starred", "Page 1"],
      ["page 2", "Page 2"],
      ["nowhere"],
      ["", "Page 3", "Page 2", "Page 1"],
    ] as const)
      expect([words, ...(await search(words)).titles]).toEqual([words, ...titles]);
    await user.send({ delete: [{ url: url(3) }] });
    expect((await search("harbour")).titles).toEqual(["Page 1"]);
  });

  test("says why a search cannot be read", async () => {
    const { status, body } = await search("is:nowhere");
    expect([400, 422]).toContain(status);
    expect(body).toContain("has an unknown is: filter; use is:unread");
    expect((await search("a".repeat(501))).body).toContain("must be at most 500 characters");
  });
});

test("the pages of a walk over a search show each item of page 1 once, even if a text is kept meanwhile", async () => {
  for (let n = 1; n <= 5; n++) await add(n, "harbour");
  await user.add(url(6), { title: "Page 6" });
  const device = await new WallabagDevice(service, user.credentials).signIn();
  const titlesOf = async (page: number) => {
    const found = await device.ok<EntryPage>("GET", `api/search?term=harbour&perPage=2&page=${page}`);
    return [found.total, ...found._embedded.items.map(({ title }) => title)];
  };
  expect(await titlesOf(1)).toEqual([5, "Page 5", "Page 4"]);
  // No change of the list.
  await user.ok("article", { url: url(6), html: text("harbour") });
  expect(await titlesOf(2)).toEqual([5, "Page 3", "Page 2"]);
  // A text that lacks the word now was found at page 1.
  await user.ok("article", { url: url(1), html: text("market of the whole town") });
  expect(await titlesOf(3)).toEqual([5, "Page 1"]);
  // Page 1 begins another walk, although the list is the same.
  expect(await titlesOf(1)).toEqual([5, "Page 6", "Page 5"]);
  expect(await titlesOf(2)).toEqual([5, "Page 4", "Page 3"]);
  expect(await titlesOf(3)).toEqual([5, "Page 2"]);
});
