// SPDX-License-Identifier: MIT

import { createHash } from "node:crypto";
import type { ServerResponse } from "node:http";
import type { CallRecord } from "@reading-list/http/watch/watch-calls.ts";
import type { TestUser } from "@reading-list/testing/client.ts";
import { articlePage, page, prose, servePages } from "@reading-list/testing/page-server.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { type Entry, type EntryPage, WallabagDevice } from "@reading-list/testing/wallabag-device.ts";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";

let service: TestService;
let user: TestUser;
let device: WallabagDevice;
const records: CallRecord[] = [];

beforeAll(async () => {
  service = await startTestService(
    { PUBLIC_KEY_ADDRESS_LIMIT: "100000", TEXT_ALLOWED_ORIGINS: "http://127.0.0.1:1" },
    { report: (record) => records.push(record) },
  );
});
beforeEach(async () => {
  service.clock.advance(1);
  records.length = 0;
  user = await service.newUser();
  device = await new WallabagDevice(service, user.credentials).signIn();
});

const url = (i: number) => `https://example.com/${i}`;
/** Adds pages at seconds of their own, through the service's own API. */
async function addPages(count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    service.clock.advance(1);
    await user.add(url(i), { title: `Page ${i}` });
  }
}
const titles = async (query: string) =>
  (await device.list(`detail=metadata&${query}`))._embedded.items.map(({ title }) => title);
const idOf = async (i: number) => {
  const { items } = (await device.list("detail=metadata&perPage=500"))._embedded;
  return items.find((entry) => entry.url === url(i))?.id ?? 0;
};
const sha1 = (text: string) => createHash("sha1").update(text).digest("hex");

describe("entries", () => {
  test("have every field that clients need", async () => {
    await user.add(url(1), { title: "One", tags: "Über uns,starred" });
    await user.send({ read: [{ url: url(1) }] });
    const [entry] = (await device.list())._embedded.items;
    const date = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+0000$/);
    expect(entry).toEqual({
      id: 1,
      uid: null,
      url: url(1),
      given_url: url(1),
      origin_url: null,
      title: "One",
      content: "",
      hashed_url: sha1(url(1)),
      hashed_given_url: sha1(url(1)),
      domain_name: "example.com",
      is_archived: 1,
      archived_at: null,
      is_starred: 1,
      starred_at: null,
      is_public: false,
      tags: [{ id: expect.any(Number), label: "Über uns", slug: "über-uns" }],
      annotations: [],
      created_at: date,
      updated_at: date,
      published_at: null,
      published_by: [],
      mimetype: "text/html",
      language: null,
      reading_time: 0,
      preview_picture: null,
      http_status: "200",
      headers: {},
      user_id: 1,
      user_name: user.credentials.username,
      user_email: "",
      _links: { self: { href: "/api/entries/1" } },
    });
    expect(entry?.tags[0]?.id).toBeLessThan(2 ** 31);
  });

  test("have their fields in the order of wallabag 2.6, as some clients store them by position", async () => {
    await user.add(url(1));
    const order =
      "is_archived is_starred user_name user_email user_id tags is_public id uid title url hashed_url origin_url given_url hashed_given_url archived_at content created_at updated_at published_at published_by starred_at annotations mimetype language reading_time domain_name preview_picture http_status headers _links";
    expect(Object.keys((await device.list())._embedded.items[0] ?? {}).join(" ")).toBe(order);
  });

  test("have ids in the order of their addition, including entries that were not listed yet", async () => {
    const newest = async () => (await device.list("perPage=1&detail=metadata"))._embedded.items[0]?.id;
    await addPages(5);
    expect(await newest()).toBe(5);
    await user.add(url(6));
    service.clock.advance(1);
    await user.add(url(7));
    expect(await newest()).toBe(7);
    const { items } = (await device.list("sort=created&order=asc&detail=metadata"))._embedded;
    expect(items.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  test("of a long list have ids in the order in which they are listed", async () => {
    await user.send({ new: Array.from({ length: 981 }, (_, i) => ({ url: url(i) })) });
    service.clock.advance(200);
    const { items } = (await device.list("perPage=2&detail=metadata"))._embedded;
    expect(items.map(({ id }) => id)).toEqual([2, 1]);
    expect((await device.list("perPage=1&page=3&detail=metadata"))._embedded.items[0]?.id).toBe(981);
  });

  test.each([
    ["order=asc", [0, 1, 2, 3]],
    ["", [3, 2, 1, 0]],
    ["sort=updated", [1, 0, 3, 2]],
    ["sort=updated&order=asc&archive=0", [2, 3, 1]],
    ["archive=1", [0]],
    ["archive=0", [3, 2, 1]],
    ["starred=1", [1]],
    ["starred=0", [3, 2, 0]],
    ["tags=a", [1]],
    ["tags=a,b", []],
    ["tags=", [3, 2, 1, 0]],
    ["perPage=3&page=2&order=asc", [3]],
    ["domain_name=example.org", []],
  ])("listed with %s", async (query, expected) => {
    await addPages(4);
    await user.send({ read: [{ url: url(0) }] });
    service.clock.advance(1);
    await user.send({ update_tags: [{ url: url(1), tags: "a,starred" }] });
    // Entries that changed within the last minutes may be on two pages.
    service.clock.advance(200);
    expect(await titles(query)).toEqual(expected.map((i) => `Page ${i}`));
  });

  test("are listed with links to the other pages of the same query, without its token", async () => {
    await addPages(5);
    await user.send({ read: [{ url: url(4) }] });
    const token = `access_token=${device.tokens?.access_token}`;
    const listing = await device.list(`archive=0&order=asc&perPage=2&page=2&detail=metadata&${token}`);
    const links = (listing as unknown as { _links: Record<string, { href: string }> })._links;
    const to = (to: number) => ({
      href: `${device.address}/api/entries?archive=0&order=asc&perPage=2&page=${to}&detail=metadata`,
    });
    expect(links).toEqual({ self: to(2), first: to(1), last: to(2), previous: to(1) });
  });

  test.each([
    ["", 30],
    ["perPage=0", 30],
    ["perPage=501", 500],
  ])("with %s are listed %i on a page", async (query, limit) => {
    expect((await device.list(query)).limit).toBe(limit);
  });

  test("of a page behind the last one are 404; an empty list is one page", async () => {
    const { page: number, pages, total } = await device.list();
    expect([number, pages, total]).toEqual([1, 1, 0]);
    expect((await device.call("GET", "api/entries?page=2")).status).toBe(404);
  });
});

describe("a change", () => {
  test.each<[method: string, path: string, fields: Record<string, unknown>, item: Record<string, string>]>([
    ["PATCH", "", { archive: 1 }, { state: "1" }],
    ["PATCH", ".json", { archive: true, starred: "1" }, { state: "1", tags: "old,starred" }],
    ["PATCH", "", { tags: "x, y" }, { tags: "x,y" }],
    ["PATCH", "", { tags: ["z"], title: "New" }, { tags: "z", title: "New" }],
    ["PATCH", "", { language: "en" }, { tags: "old", state: "0" }],
    ["POST", "/tags.json", { tags: "x,old" }, { tags: "old,x" }],
  ])("%s %s %j", async (method, path, fields, expected) => {
    await user.add(url(1), { tags: "old" });
    const entry = await device.ok(method, `api/entries/${await idOf(1)}${path}`, fields);
    expect(await user.items()).toMatchObject([expected]);
    expect(entry).toEqual((await device.list())._embedded.items[0]);
  });

  test("a content without elements comes back as it was sent", async () => {
    await user.add(url(1));
    expect(await device.ok("PATCH", `api/entries/${await idOf(1)}`, { content: "my content" })).toMatchObject({
      content: "my content",
    });
  });

  test("PATCH of the tags leaves the star, and of the content replaces the article", async () => {
    await user.add(url(1), { tags: "old,starred" });
    const content = `<html><body><article><h1>Mine</h1>${prose}</article></body></html>`;
    const entry = await device.ok("PATCH", `api/entries/${await idOf(1)}`, { tags: "x", content });
    expect(await user.items()).toMatchObject([{ tags: "starred,x" }]);
    expect(entry).toMatchObject({ is_starred: 1, content: expect.stringContaining("the harbour, which had been") });
  });

  test("DELETE answers the entry, or its id, and the entry is gone", async () => {
    await addPages(2);
    const [first, second] = [await idOf(0), await idOf(1)];
    expect(await device.ok("DELETE", `api/entries/${first}.json`)).toMatchObject({ id: first, url: url(0) });
    expect(await device.ok("DELETE", `api/entries/${second}?expect=id`)).toEqual({ id: second });
    expect(await user.items()).toEqual([]);
    for (const method of ["GET", "PATCH", "DELETE"])
      expect((await device.call(method, `api/entries/${first}`)).status).toBe(404);
  });

  test("DELETE of a tag removes it by its id", async () => {
    await user.add(url(1), { tags: "a,b,starred" });
    const id = await idOf(1);
    const tags = await device.ok<Entry["tags"]>("GET", `api/entries/${id}/tags`);
    expect(tags.map(({ label }) => label)).toEqual(["a", "b"]);
    await device.ok("DELETE", `api/entries/${id}/tags/${tags[0]?.id}.json`);
    expect(await user.items()).toMatchObject([{ tags: "b,starred" }]);
    const all = await device.ok<(Entry["tags"][number] & { nbEntries: number })[]>("GET", "api/tags.json");
    expect(all).toEqual([{ ...tags[1], nbEntries: 1 }]);
  });
});

describe("POST of an entry", () => {
  test("adds the page with its tags, its state and the HTML that the client sends", async () => {
    const content = `<html><body><article><h1>From the client</h1>${prose}</article></body></html>`;
    const fields = { url: url(1), title: "Mine", tags: "a,b", archive: 1, starred: 1, content };
    const entry = await device.ok("POST", "api/entries.json", fields);
    expect(entry).toMatchObject({ id: 1, title: "Mine", is_archived: 1, is_starred: 1 });
    expect(entry.content).toContain("the harbour, which had been closed");
    expect(await user.items()).toMatchObject([{ tags: "a,b,starred", state: "1", title: "Mine" }]);
    expect((await device.list())._embedded.items).toEqual([entry]);
  });

  test("of an archived page leaves it archived, unless it says otherwise", async () => {
    await user.add(url(1));
    await user.send({ read: [{ url: url(1) }] });
    expect(await device.ok("POST", "api/entries", { url: url(1) })).toMatchObject({ is_archived: 1 });
    expect(await device.ok("POST", "api/entries", { url: url(1), archive: 0 })).toMatchObject({ is_archived: 0 });
  });

  test("keeps what the client knows of the article with it", async () => {
    const known = { language: "de_AT", authors: "Ann,Bob", published_at: "2016-09-08T11:55:58+0200" };
    const content = `<article>${prose}</article>`;
    const picture = "https://example.com/a.png";
    await device.ok("POST", "api/entries", { url: url(1), content, ...known, preview_picture: picture });
    expect((await device.list())._embedded.items[0]).toMatchObject({
      language: "de_AT",
      published_by: ["Ann", "Bob"],
      preview_picture: picture,
      published_at: "2016-09-08T09:55:58+0000",
    });
  });

  test("takes authors as an array, and does not fail for an odd time", async () => {
    const content = `<article>${prose}</article>`;
    const save = (fields: object) => device.ok("POST", "api/entries", { url: url(1), content, ...fields });
    expect(await save({ authors: ["Ann", "Bob", ["x"]] })).toMatchObject({ published_by: ["Ann", "Bob"] });
    for (const odd of ["yesterday", "15.03.2021", "0000-00-00", "", null, true, [1], "9".repeat(11)])
      expect(await save({ published_at: odd })).toMatchObject({ url: url(1) });
  });

  test("of a page that is in the list keeps its tags and its number", async () => {
    await user.add(url(1), { tags: "old" });
    const id = await idOf(1);
    expect(await device.ok("POST", "api/entries", { url: url(1), tags: "new" })).toMatchObject({ id });
    expect(await user.items()).toMatchObject([{ tags: "old,new" }]);
  });

  test("takes a form", async () => {
    const body = new URLSearchParams({ url: url(1), tags: "a" });
    const authorization = `Bearer ${device.tokens?.access_token}`;
    const { status } = await service.fetch(`${device.address}/api/entries`, {
      method: "POST",
      headers: { authorization },
      body,
    });
    expect([status, await user.items()]).toMatchObject([200, [{ url: url(1), tags: "a" }]]);
  });
});

test("a page that can be read is kept when it is posted, and when it is listed with contents; reload reads it again", async () => {
  let text = articlePage;
  const origin = await servePages((request, response) => page(text)(request, response));
  const own = await startTestService({ PUBLIC_KEY_ADDRESS_LIMIT: "100000", TEXT_ALLOWED_ORIGINS: origin });
  const other = await own.newUser();
  const reader = await new WallabagDevice(own, other.credentials).signIn();
  const posted = await reader.ok("POST", "api/entries", { url: `${origin}/posted` });
  expect(posted).toMatchObject({ title: "The harbour is open", reading_time: 2 });
  await other.add(`${origin}/listed`);
  await other.add(`${origin}/posted`);
  const items = (await reader.list("sort=created&order=asc"))._embedded.items;
  expect(items.map(({ content }) => content)).toEqual([posted.content, posted.content]);
  expect((await reader.list("detail=metadata"))._embedded.items[0]).toMatchObject({ content: null });
  const book = await reader.call("GET", `api/entries/${posted.id}/export.epub`);
  expect([book.status, book.headers.get("content-type")]).toEqual([200, "application/epub+zip"]);
  expect(book.body.startsWith("PK")).toBe(true);
  text = articlePage.replaceAll("harbour", "station");
  const reloaded = await reader.ok("PATCH", `api/entries/${posted.id}/reload.json`);
  expect(reloaded.content).toContain("station");
  expect((await reader.ok("GET", `api/entries/${posted.id}`)).content).toBe(reloaded.content);
});

test("a page that the service had no capacity for is read by the next listing, and one that cannot be read is not", async () => {
  const held: ServerResponse[] = [];
  const asked: (string | undefined)[] = [];
  const origin = await servePages((request, response) => {
    asked.push(request.url);
    if (request.url === "/slow") held.push(response);
    else if (request.url === "/missing") response.writeHead(404).end();
    else page(articlePage)(request, response);
  });
  const own = await startTestService({
    PUBLIC_KEY_ADDRESS_LIMIT: "100000",
    TEXTS_AT_ONCE: "1",
    TEXT_ALLOWED_ORIGINS: origin,
  });
  const other = await own.newUser();
  const reader = await new WallabagDevice(own, other.credentials).signIn();
  for (const path of ["missing", "1", "2"]) await other.add(`${origin}/${path}`);
  const contents = async () => (await reader.list())._embedded.items.filter(({ content }) => content !== "").length;
  const { apiKey: apikey } = (await (await fetch(`${own.baseUrl}/app/config.json`)).json()) as { apiKey: string };
  const slow = own.call("text", { apikey, url: `${origin}/slow` });
  await expect.poll(() => held.length).toBe(1);
  expect(await contents()).toBe(0);
  held[0]?.end("text");
  await slow;
  expect([await contents(), await contents()]).toEqual([2, 2]);
  expect(asked.filter((path) => path === "/missing")).toHaveLength(1);
});

test("a book of a page that cannot be read says so", async () => {
  await user.add("http://127.0.0.1:1/");
  expect(
    (await device.call("GET", `api/entries/${(await device.list())._embedded.items[0]?.id}/export.epub`)).status,
  ).toBe(200);
});

describe("exists", () => {
  const ask = (query: string) => device.ok<Record<string, unknown>>("GET", `api/entries/exists.json?${query}`);
  test.each([
    ["url=:1", { exists: true }],
    ["url=:9", { exists: false }],
    ["url=:2", { exists: false }],
    ["url=:1&return_id=1", { exists: 1 }],
    ["url=:9&return_id=1", { exists: null }],
    ["hashed_url=#1", { exists: true }],
    ["hashed_url=#9&return_id=1", { exists: null }],
    ["urls[]=:1&urls[]=:9", { ":1": true, ":9": false }],
    ["hashed_urls[]=%231&hashed_urls[]=%239&return_id=1", { "#1": 1, "#9": null }],
  ])("%s", async (query, expected) => {
    await user.add(url(1));
    await user.add(url(2));
    await user.send({ delete: [{ url: url(2) }] });
    const filled = (text: string) =>
      text.replaceAll(/(?:#|%23)(\d)/g, (_, i) => sha1(url(i))).replaceAll(/:(\d)/g, (_, i) => url(i));
    const keys = Object.entries(expected).map(([key, value]) => [filled(key), value]);
    expect(await ask(filled(query))).toEqual(Object.fromEntries(keys));
  });
});

describe("tags of the whole list", () => {
  const setUp = async () => {
    await user.add(url(1), { tags: "one,two,starred" });
    await user.add(url(2), { tags: "two,three" });
  };
  const tags = async () => (await user.items()).map(({ tags }) => tags).sort();

  test("are removed by label, by several labels, and by id", async () => {
    await setUp();
    expect(await device.ok("DELETE", "api/tag/label.json?tag=two")).toMatchObject({ label: "two", slug: "two" });
    expect(await tags()).toEqual(["one,starred", "three"]);
    await device.ok("DELETE", "api/tags/label", { tags: "one,none" });
    expect(await tags()).toEqual(["starred", "three"]);
    const [three] = await device.ok<{ id: number }[]>("GET", "api/tags");
    expect(await device.ok("DELETE", `api/tags/${three?.id}.json`)).toMatchObject({ label: "three" });
    expect(await tags()).toEqual(["", "starred"]);
  });

  test("that no entry has are 404, and so is the star, which is not a tag", async () => {
    await setUp();
    for (const path of ["api/tag/label?tag=none", "api/tag/label?tag=starred", "api/tags/1"]) {
      expect((await device.call("DELETE", path)).status).toBe(404);
    }
    expect(await tags()).toEqual(["one,two,starred", "two,three"]);
  });
});

describe("several entries at once", () => {
  const call = (method: string, path: string, name: string, list: unknown) =>
    device.call(method, `api/entries/${path}?${name}=${encodeURIComponent(JSON.stringify(list))}`);

  test("are added, tagged and deleted; the answer names pages that are not in the list", async () => {
    const urls = [url(1), url(2)];
    const added = await call("POST", "lists", "urls", urls);
    expect(added.json()).toEqual(urls.map((each) => ({ url: each, entry: expect.any(Number) })));
    const list = [
      { url: url(1), tags: "a, b" },
      { url: url(9), tags: "a" },
    ];
    expect((await call("POST", "tags/lists.json", "list", list)).json()).toMatchObject([{}, { entry: false }]);
    expect((await user.items({ tags: "1" })).map(({ tags }) => tags)).toEqual(["a,b", ""]);
    await call("DELETE", "tags/list", "list", [{ url: url(1), tags: "a" }]);
    expect((await user.items()).map(({ tags }) => tags)).toEqual(["b", ""]);
    expect((await call("DELETE", "list", "urls", [url(1), url(9)])).json()).toEqual([
      { url: url(1), entry: true },
      { url: url(9), entry: false },
    ]);
    expect((await user.items()).map((item) => item.url)).toEqual([url(2)]);
  });

  test("are ten at most, and none for an empty list", async () => {
    const answer = await call(
      "POST",
      "lists",
      "urls",
      Array.from({ length: 11 }, (_, i) => url(i)),
    );
    expect([answer.status, answer.body]).toEqual([400, expect.stringContaining("API limit reached")]);
    for (const method of ["POST", "DELETE"]) {
      expect((await call(method, method === "POST" ? "lists" : "list", "urls", [])).json()).toEqual([]);
    }
    expect(await user.items()).toEqual([]);
  });
});

test("search lists the entries with a word, page by page", async () => {
  await addPages(5);
  const found = await device.ok<EntryPage>("GET", "api/search?term=page%203");
  expect(found).toMatchObject({ page: 1, total: 1, _embedded: { items: [{ title: "Page 3" }] } });
  const two = await device.ok<EntryPage>("GET", "api/search.json?term=page&perPage=2&page=2");
  expect(two).toMatchObject({ page: 2, pages: 3, limit: 2, total: 5 });
});

test("a filter that no entry matches returns nothing, and numbers of any size are clamped", async () => {
  await addPages(2);
  for (const query of ["public=1", "http_status=404", "http_status=10000"]) expect(await titles(query)).toEqual([]);
  for (const query of ["public=0", "http_status=200", "perPage=9999999999999999999"]) {
    expect(await titles(query)).toHaveLength(2);
  }
  expect((await device.call("GET", "api/entries?page=9999999999999999999")).status).toBe(404);
});

test("user and config are of the account, and a username is taken in any case", async () => {
  const { username } = user.credentials;
  const other = new WallabagDevice(service, { ...user.credentials, username: username.toUpperCase() });
  await other.signIn();
  expect(await other.ok("GET", "api/user.json")).toMatchObject({ username, name: username });
  expect(await other.ok("GET", "api/config")).toMatchObject({ reading_speed: 200, language: "en" });
});

test("order and sort ignore case, and an error does not contain a regular expression", async () => {
  await addPages(2);
  expect(await titles("order=DESC&sort=Created")).toEqual(await titles("order=desc"));
  expect(await titles("order=ASC")).toEqual(await titles("order=asc"));
  for (const query of ["page=x", "perPage=x", "since=x", "order=up"]) {
    const { status, body } = await device.call("GET", `api/entries?${query}`);
    expect([status, body]).toEqual([400, expect.not.stringContaining("/^")]);
  }
});

test("an address that was typed with a slash at the end, or with /api, works", async () => {
  for (const typed of ["/", "/api", "/api/"]) {
    const other = `${service.baseUrl}/wallabag${typed}`;
    expect(JSON.parse((await service.fetch(`${other}/api/version`)).body)).toMatch(/^2\.6\./);
    const body = new URLSearchParams({ grant_type: "password", client_id: "", ...user.credentials });
    expect((await service.fetch(`${other}/oauth/v2/token`, { method: "POST", body })).status).toBe(200);
    const readeck = `${service.baseUrl}/readeck${typed}`;
    expect((await service.fetch(`${readeck}/api/info`)).status).toBe(200);
  }
  for (const path of ["//wallabag/api/version", "///wallabag//api/version", "//readeck/api/info"])
    expect((await service.fetch(service.baseUrl + path)).status).toBe(200);
});

describe("what needs no sign-in", () => {
  const read = async (path: string) => (await service.fetch(`${service.baseUrl}/wallabag${path}`)).body;

  test("version and info name wallabag 2.6", async () => {
    for (const path of ["/api/version", "/api/version.json"]) expect(JSON.parse(await read(path))).toMatch(/^2\.6\./);
    expect(JSON.parse(await read("/api/info"))).toMatchObject({ appname: "wallabag" });
  });

  test("the pages that the Android app's wizard and wallabagger read have a client", async () => {
    for (const path of ["", "/"]) expect(await read(path)).toMatch(/\/logout"?>.*|alt="wallabag logo" ?\/?>/);
    const client = (await read("/developer")).match(
      /<div class="collapsible-header">([^<]+?)<\/div>.*?<strong><code>([^<]+?)<\/code><\/strong>.*?<strong><code>([^<]+?)<\/code>/,
    );
    expect(client?.slice(1)).toEqual(["Android app - #1", "public", "public"]);
  });
});

describe("an error has wallabag's form", () => {
  test.each<[method: string, path: string, fields: Record<string, unknown> | undefined, status: number, body: object]>([
    ["GET", "api/entries/99", undefined, 404, { error: { code: 404 } }],
    ["GET", "api/entries/4294967296", undefined, 404, { error: { code: 404 } }],
    ["GET", "api/nothing", undefined, 404, { error: { code: 404 } }],
    ["GET", "api/entries?page=0", undefined, 400, { error: "invalid_request", error_description: /page/ }],
    ["POST", "api/entries", { url: "ftp://x" }, 400, { error: "invalid_request", error_description: /url/ }],
    ["POST", "oauth/v2/token", { grant_type: "magic" }, 400, { error: "invalid_request" }],
  ])("%s %s %j", async (method, path, fields, status, body) => {
    const answer = await device.call(method, path, fields);
    expect([answer.status, answer.json()]).toMatchObject([status, expectation(body)]);
  });
  const expectation = (body: object) =>
    Object.fromEntries(Object.entries(body).map(([k, v]) => [k, v instanceof RegExp ? expect.stringMatching(v) : v]));
});

describe("a token", () => {
  const profile = (authorization: string) =>
    service.fetch(`${device.address}/api/entries`, { headers: { authorization } });

  test("is granted for the account's password, as JSON and as a form, and is accepted for an hour", async () => {
    expect(device.tokens).toMatchObject({ expires_in: 3600, token_type: "bearer" });
    const body = new URLSearchParams({ grant_type: "password", client_id: "", ...user.credentials });
    const granted = await service.fetch(`${device.address}/oauth/v2/token`, { method: "POST", body });
    expect([granted.status, granted.json()]).toMatchObject([200, { refresh_token: expect.any(String) }]);
    service.clock.advance(3599);
    expect((await device.call("GET", "api/entries")).status).toBe(200);
    service.clock.advance(1);
    const late = await device.call("GET", "api/entries");
    expect([late.status, late.json()]).toMatchObject([401, { error: "invalid_grant" }]);
  });

  test("is renewed for 14 days after each use, once", async () => {
    const renew = async () => {
      const { refresh_token } = device.tokens ?? {};
      const answer = await device.call("POST", "oauth/v2/token", { grant_type: "refresh_token", refresh_token });
      if (answer.status === 200) device.tokens = JSON.parse(answer.body);
      return answer.status;
    };
    const old = device.tokens;
    for (const _ of [1, 2]) {
      service.clock.advance(14 * 86_400 - 1);
      expect(await renew()).toBe(200);
    }
    expect((await device.call("GET", "api/entries")).status).toBe(200);
    const { access_token: access } = device.tokens ?? {};
    device.tokens = old;
    expect(await renew()).toBe(400);
    // Someone else may have the old token: the sign-in is revoked.
    expect((await device.call("GET", `api/entries?access_token=${access}`)).status).toBe(401);
    await device.signIn();
    service.clock.advance(14 * 86_400);
    expect(await renew()).toBe(400);
  });

  test("of an app password is that password, so that its revocation signs the app out", async () => {
    const { password, id } = JSON.parse((await user.ok("app_passwords", { create: "Reader" })).body);
    const { signIns } = service.operator;
    const count = (await signIns.list(user.credentials.username)).length;
    await device.signIn({ password });
    expect((await signIns.list(user.credentials.username)).length).toBe(count);
    const refresh = { grant_type: "refresh_token", refresh_token: device.tokens?.refresh_token };
    expect((await device.call("POST", "oauth/v2/token", refresh)).status).toBe(200);
    expect((await device.call("GET", "api/entries")).status).toBe(200);
    await user.ok("app_passwords", { revoke: id });
    expect((await device.call("GET", "api/entries")).status).toBe(401);
    expect((await device.call("POST", "oauth/v2/token", refresh)).status).toBe(400);
  });

  test("of a client with an API key counts its calls against that key", async () => {
    await device.signIn({ client_id: await service.newApiKey({ userLimit: 2 }) });
    expect((await device.call("GET", "api/entries")).headers.get("x-limit-user-limit")).toBe("2");
    const limited = await device.call("GET", "api/entries");
    expect([limited.status, limited.headers.get("retry-after")]).toEqual([429, expect.any(String)]);
  });

  test("an app that signs in again and again has five sign-ins at most, and other names keep theirs", async () => {
    for (let i = 0; i < 7; i++) await device.signIn();
    expect(await service.operator.signIns.list(user.credentials.username)).toHaveLength(5);
    expect((await device.call("GET", "api/entries")).status).toBe(200);
  });

  test.each(["Bearer x", "Bearer ann.aaaaaaaaaaaaaaaaaaaa", "Basic eA==", ""])(
    "%s is refused with 401",
    async (header) => {
      const { status, body } = await profile(header);
      // wallabag's words: without a token, and with a wrong one.
      expect([status, JSON.parse(body).error]).toEqual([401, header === "" ? "access_denied" : "invalid_grant"]);
    },
  );

  test("may be a parameter of the query string or of the body; it reaches no log", async () => {
    await addPages(1);
    const token = device.tokens?.access_token ?? "";
    device.tokens = undefined;
    const { items } = (await device.list(`access_token=${token}`))._embedded;
    const path = `api/entries/${items[0]?.id}`;
    await device.ok("PATCH", path, { access_token: token, archive: 1 });
    expect(await user.items()).toMatchObject([{ state: "1" }]);
    const body = new URLSearchParams({ access_token: token });
    expect((await service.fetch(`${device.address}/${path}`, { method: "DELETE", body })).status).toBe(200);
    expect((await device.call("GET", `api/entries?access_token=${token}x`)).status).toBe(401);
    expect((await device.call("GET", `api/entries?access_token=${token}&access_token=${token}`)).status).toBe(401);
    expect(records.length).toBeGreaterThan(5);
    expect(JSON.stringify(records)).not.toContain(token);
  });

  test("that has expired locks nobody out; ten wrong passwords do", async () => {
    for (let i = 0; i < 12; i++) await profile(`Bearer ${user.credentials.username}.${"a".repeat(20)}`);
    await device.signIn();
    const guess = { grant_type: "password", username: user.credentials.username, password: "wrong" };
    for (let i = 0; i < 10; i++) expect((await device.call("POST", "oauth/v2/token", guess)).status).toBe(400);
    expect((await device.call("POST", "oauth/v2/token", { ...guess, ...user.credentials })).status).toBe(429);
    expect((await device.call("GET", "api/entries")).status).toBe(200);
  });
});

test("of the pages of a list every tenth counts against the limit of the user", async () => {
  await addPages(21);
  const used = async () =>
    Number((await device.list("perPage=1")) && (await user.ok("auth")).headers.get("x-limit-user-remaining"));
  const before = await used();
  await device.walk("perPage=1&detail=metadata", () => {});
  expect(before - (await used())).toBe(3 + 2);
});

test("the pages that count against no user have a limit for each user, also with the public key and for each app", async () => {
  const limited = await startTestService({ PUBLIC_KEY_ADDRESS_LIMIT: "6" });
  const [one, other] = [await limited.newUser(), await limited.newUser()];
  const apps = [one, one, other].map(({ credentials }) => new WallabagDevice(limited, credentials));
  for (const app of apps) await app.signIn();
  await one.send({ new: [{ url: url(1) }, { url: url(2) }] });
  await other.send({ new: [{ url: url(1) }, { url: url(2) }] });
  const statusOf = async (app?: WallabagDevice, page = 2) =>
    (await app?.call("GET", `api/entries?perPage=1&page=${page}&detail=metadata`))?.status;
  for (let call = 0; call < 6; call++) expect(await statusOf(apps[call % 2])).toBe(200);
  for (const app of apps.slice(0, 2)) expect(await statusOf(app)).toBe(429);
  expect(await statusOf(apps[0], 1)).toBe(200);
  expect(await statusOf(apps[2])).toBe(200);
});

test("a listing has the articles that fit into its bytes, in order; those left out are kept, and are read by themselves", async () => {
  const other = await service.newUser();
  const reader = await new WallabagDevice(service, other.credentials).signIn();
  const html = `<html><body><article><h1>T</h1><p>${"A sentence, as it is in such texts. ".repeat(30_000)}</p></article></body></html>`;
  for (let i = 0; i < 8; i++) {
    await other.add(`http://long.example/${i}`);
    service.clock.advance(1);
    expect((await other.call("article", { url: `http://long.example/${i}`, html })).status).toBe(200);
  }
  const items = (await reader.list("sort=created"))._embedded.items;
  const lengths = items.map(({ content }) => content.length > 0);
  expect(lengths.indexOf(false)).toBeGreaterThan(1);
  expect(lengths).toEqual(lengths.toSorted((one, next) => Number(next) - Number(one)));
  const last = await reader.ok<{ content: string }>("GET", `api/entries/${items.at(-1)?.id}.json`);
  expect(last.content.length).toBeGreaterThan(1_000_000);
});

test.each([
  ["https", "https:"],
  ["https, http", "https:"],
  ["javascript", "http:"],
])("the links of a listing behind a proxy that names the scheme %j begin with %s", async (scheme, protocol) => {
  const answer = await fetch(`${service.baseUrl}/wallabag/api/entries`, {
    headers: { authorization: `Bearer ${device.tokens?.access_token}`, "x-forwarded-proto": scheme },
  });
  const { _links: links } = (await answer.json()) as { _links: { self: { href: string } } };
  expect(new URL(links.self.href).protocol).toBe(protocol);
});

test("registration is closed, as `info` says, and a call of `exists` without a URL is 404", async () => {
  expect(await device.ok("GET", "api/info")).toMatchObject({ allowed_registration: false });
  expect((await device.call("PUT", "api/user.json", { username: "new" })).status).toBe(403);
  expect((await device.call("GET", "api/entries/exists?url=")).status).toBe(404);
});
