// SPDX-License-Identifier: MIT

import { maxLengths } from "@reading-list/core/domain/page-fields.ts";
import type { TestUser } from "@reading-list/testing/client.ts";
import { ReadeckDevice } from "@reading-list/testing/readeck-device.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { newReadeckUser } from "./user.ts";

let service: TestService;
let user: TestUser;
let device: ReadeckDevice;

beforeAll(async () => {
  service = await startTestService({ PUBLIC_KEY_ADDRESS_LIMIT: "100000" });
});
beforeEach(async () => {
  ({ user, device } = await newReadeckUser(service));
});

const idOf = async (url: string) => (await user.items()).find((item) => item.url === url)?.item_id ?? "";
const titles = async (query: string) => (await device.bookmarks(query)).map(({ title }) => title);

test("POST adds a page, or moves it to the top, and adds the labels to those it has", async () => {
  await user.add("http://127.0.0.1/a", { tags: "starred,old", title: "A" });
  const answer = await device.call("POST", "bookmarks", { url: "http://127.0.0.1/a", labels: ["new, label"] });
  expect([answer.status, answer.headers.get("bookmark-id")]).toEqual([202, await idOf("http://127.0.0.1/a")]);
  expect(await user.items()).toMatchObject([{ title: "A", tags: "starred,old,new label", state: "0" }]);
});

test("POST takes a form, and multipart", async () => {
  const form = new FormData();
  form.set("url", "http://127.0.0.1/multipart");
  form.append("labels", "one");
  form.append("labels", "two");
  const plain = new URLSearchParams({ url: "http://127.0.0.1/form", title: "Ünïcode" });
  for (const body of [form, plain]) expect((await device.send("POST", "bookmarks", { body })).status).toBe(202);
  expect((await user.items()).map(({ url, title, tags }) => [url, title, tags])).toEqual([
    ["http://127.0.0.1/form", "Ünïcode", ""],
    ["http://127.0.0.1/multipart", "http://127.0.0.1/multipart", "one,two"],
  ]);
});

describe("PATCH changes a bookmark", () => {
  test.each<[Record<string, unknown>, Record<string, unknown>]>([
    [{ is_archived: true }, { state: "1" }],
    [{ is_marked: true }, { tags: "one,two,starred" }],
    [{ labels: ["two", "three"] }, { tags: "two,three" }],
    [{ labels: [] }, { tags: "" }],
    [{ add_labels: ["three"], remove_labels: ["one"] }, { tags: "two,three" }],
    [{ title: "New" }, { title: "New" }],
    [
      { is_archived: true, is_marked: true, title: "New" },
      { state: "1", title: "New", tags: "one,two,starred" },
    ],
    [{}, { tags: "one,two", title: "Old", state: "0" }],
    [{ read_progress: 50 }, { tags: "one,two", title: "Old", state: "0" }],
  ])("%j", async (fields, expected) => {
    await user.add("https://example.com/", { title: "Old", tags: "one,two" });
    const { status } = await device.call("PATCH", `bookmarks/${await idOf("https://example.com/")}`, fields);
    expect(status).toBe(200);
    expect(await user.items()).toMatchObject([expected]);
  });
});

test("a title that is too long is cut, without its NUL characters", async () => {
  await device.call("POST", "bookmarks", { url: "https://example.com/", title: `\0${"é".repeat(2000)}` });
  const [item] = await user.items();
  expect(item?.title).toBe("é".repeat(maxLengths.title));
});

test("PATCH answers with the fields that it was sent", async () => {
  await user.add("https://example.com/", { tags: "one" });
  const { body } = await device.call("PATCH", `bookmarks/${await idOf("https://example.com/")}`, { is_archived: true });
  expect(Object.keys(JSON.parse(body))).toEqual(["id", "href", "updated", "is_archived"]);
});

test("labels are counted, without the mark", async () => {
  await user.add("https://example.com/1", { tags: "b c,starred" });
  await user.add("https://example.com/2", { tags: "b c,a" });
  const labels = JSON.parse((await device.call("GET", "bookmarks/labels")).body) as { name: string; count: number }[];
  expect(labels.map(({ name, count }) => [name, count])).toEqual([
    ["a", 1],
    ["b c", 2],
  ]);
});

test("a label is read, renamed and removed, named in the path or the query string", async () => {
  await user.add("https://example.com/1", { tags: "one,two,starred" });
  await user.add("https://example.com/2", { tags: "two words" });
  const tags = async () => (await user.items()).map(({ tags }) => tags).sort();
  expect((await device.call("GET", "bookmarks/labels/two%20words")).json()).toMatchObject({ count: 1 });
  expect((await device.call("GET", "bookmarks/labels?name=one")).json()).toMatchObject([{ name: "one", count: 1 }]);
  expect((await device.call("PATCH", "bookmarks/labels?name=one", { name: "uno" })).status).toBe(200);
  expect((await device.call("PATCH", "bookmarks/labels/two", { name: "uno" })).status).toBe(200);
  expect(await tags()).toEqual(["starred,uno", "two words"]);
  expect((await device.call("DELETE", "bookmarks/labels/two%20words")).status).toBe(204);
  expect((await device.call("DELETE", "bookmarks/labels?name=uno")).status).toBe(204);
  expect(await tags()).toEqual(["", "starred"]);
  for (const method of ["GET", "DELETE"]) {
    expect((await device.call(method, "bookmarks/labels/none")).status).toBe(404);
  }
});

test("progress and its anchor are kept as the client names them; an older progress of another app is shown", async () => {
  await user.add("https://example.com/");
  const id = await idOf("https://example.com/");
  const patched = await device.call("PATCH", `bookmarks/${id}`, { read_progress: 42, read_anchor: "p:nth(3)" });
  expect(patched.json()).toMatchObject({ read_progress: 42, read_anchor: "p:nth(3)" });
  expect((await device.bookmarks())[0]).toMatchObject({ read_progress: 42 });
  expect(await user.items({ progress: "1" })).toMatchObject([{ progress: "42" }]);
  expect((await device.call("PATCH", `bookmarks/${id}`, { read_progress: 142 })).status).toBe(422);
  await user.send({ update_progress: [{ url: "https://example.com/", progress: 60, anchor: "a quotation" }] });
  const read = (await device.call("GET", `bookmarks/${id}`)).json();
  expect(read).toMatchObject({ read_progress: 60, read_anchor: "" });
});

test("conditions on fields that a list does not have return nothing", async () => {
  await user.add("https://example.com/1", { title: "One", tags: "a" });
  await user.add("https://example.com/2", { title: "Two" });
  await user.send({ update_progress: [{ url: "https://example.com/1", progress: 100 }] });
  const none = [
    "is_loaded=false",
    "has_errors=true",
    "collection=x",
    "author=x",
    "type=video",
    "range_start=2100-01-01",
  ];
  for (const query of none) expect(await titles(query)).toEqual([]);
  expect(await titles("has_labels=true")).toEqual(["One"]);
  expect(await titles("has_labels=false&read_status=unread")).toEqual(["Two"]);
  expect(await titles("read_status=read&read_status=reading&range_end=2100-01-01")).toEqual(["One"]);
});

test("a book of the bookmarks that a query lists", async () => {
  await user.add("http://127.0.0.1:1/a", { tags: "a" });
  const book = await device.call("GET", "bookmarks/export.epub?labels=a");
  expect([book.status, book.headers.get("content-type")]).toEqual([200, "application/epub+zip"]);
  expect((await device.call("GET", "bookmarks/export.epub?labels=b")).status).toBe(404);
});

test("an app that signs in again each time keeps five app passwords", async () => {
  for (let i = 0; i < 7; i++) await ReadeckDevice.signIn(user, user.credentials, "Sync");
  const username = user.credentials.username.toUpperCase();
  await ReadeckDevice.signIn(user, { ...user.credentials, username }, "Sync");
  expect((await user.ok("app_passwords")).body.match(/"name":"Readeck: Sync"/g)).toHaveLength(5);
});

test("without highlights annotations are empty, and so are collections", async () => {
  await user.add("https://example.com/");
  const id = await idOf("https://example.com/");
  for (const path of [`bookmarks/${id}/annotations`, "bookmarks/collections"]) {
    expect((await device.call("GET", path)).body).toBe("[]");
  }
});

test("PATCH makes an archived bookmark unread again, and takes the mark away", async () => {
  await user.add("https://example.com/", { tags: "starred" });
  const path = `bookmarks/${await idOf("https://example.com/")}`;
  await device.call("PATCH", path, { is_archived: true });
  const { body } = await device.call("PATCH", path, { is_archived: false, is_marked: false });
  expect(JSON.parse(body)).toMatchObject({ is_archived: false, is_marked: false });
  expect(await user.items()).toMatchObject([{ state: "0", tags: "" }]);
});

test("PATCH refuses labels that are too long together, and changes nothing", async () => {
  await user.add("https://example.com/");
  const labels = Array.from({ length: 30 }, (_, n) => `${n}`.padEnd(60, "x"));
  const path = `bookmarks/${await idOf("https://example.com/")}`;
  expect((await device.call("PATCH", path, { is_archived: true, labels })).status).toBe(422);
  expect(await user.items()).toMatchObject([{ state: "0", tags: "" }]);
});

test.each([
  ["DELETE", undefined, 204],
  ["PATCH", { is_deleted: true }, 200],
] as const)("%s with %j deletes a bookmark, once", async (method, fields, status) => {
  await user.add("https://example.com/");
  const path = `bookmarks/${await idOf("https://example.com/")}`;
  expect((await device.call(method, path, fields)).status).toBe(status);
  expect(await user.items()).toEqual([]);
  expect((await device.call(method, path, fields)).status).toBe(404);
});

test("PATCH with is_deleted false takes a bookmark out of the trash, and changes it with the other fields", async () => {
  await user.add("https://example.com/", { tags: "old", time_added: 100 });
  const path = `bookmarks/${await idOf("https://example.com/")}`;
  await device.call("PATCH", path, { is_deleted: true });
  for (let again = 0; again < 2; again++) {
    expect((await device.call("PATCH", path, { is_deleted: false, is_archived: true })).status).toBe(200);
    expect(await user.items()).toMatchObject([{ state: "1", tags: "old", time_added: "100" }]);
  }
  expect((await device.call("PATCH", "bookmarks/123", { is_deleted: false })).status).toBe(404);
});

test("a bookmark has every field that clients read, and none is null", async () => {
  await user.add("https://www.example.com/a?b", { title: "Title", tags: "starred,one" });
  const id = await idOf("https://www.example.com/a?b");
  const [listed] = await device.bookmarks();
  expect(listed).toMatchObject({
    id,
    href: `${service.baseUrl}/readeck/api/bookmarks/${id}`,
    url: "https://www.example.com/a?b",
    title: "Title",
    site: "example.com",
    created: new Date(service.clock.now()).toISOString().replace(/\.\d+/, ""),
    state: 0,
    loaded: true,
    is_deleted: false,
    is_archived: false,
    is_marked: true,
    labels: ["one"],
    type: "article",
  });
  expect(Object.entries(listed ?? {}).filter(([, value]) => value == null)).toEqual([]);
  const more = { read_anchor: "", omit_description: false, embed: "", embed_domain: "", errors: [], links: [] };
  expect((await device.call("GET", `bookmarks/${id}`)).json()).toEqual({ ...listed, ...more });
});

describe("GET bookmarks", () => {
  beforeEach(async () => {
    await user.add("https://a.example/1", { title: "Bees", tags: "x", time_added: 100 });
    await user.add("https://www.a.example/2", { title: "apples", tags: "x,y z,starred", time_added: 300 });
    await user.add("https://b.example/3", { title: "Cats and dogs", time_added: 200 });
    await user.send({ read: [{ url: "https://b.example/3" }] });
  });

  test.each([
    ["", ["apples", "Cats and dogs", "Bees"]],
    ["sort=created", ["Bees", "Cats and dogs", "apples"]],
    ["sort=title", ["apples", "Bees", "Cats and dogs"]],
    ["sort=-title", ["Cats and dogs", "Bees", "apples"]],
    ["sort=-site&limit=1", ["Cats and dogs"]],
    ["is_archived=true", ["Cats and dogs"]],
    ["is_archived=false", ["apples", "Bees"]],
    ["is_archived=0&is_marked=1", ["apples"]],
    ["is_marked=false", ["Cats and dogs", "Bees"]],
    ["labels=x", ["apples", "Bees"]],
    [`labels=${encodeURIComponent('x "y z"')}`, ["apples"]],
    ["search=DOGS+cats", ["Cats and dogs"]],
    ["search=cats+bees", []],
    ["search=a.example", ["apples", "Bees"]],
    ["site=a.example", ["apples", "Bees"]],
    ["site=example", ["apples", "Cats and dogs", "Bees"]],
    ["type=article&type=photo", ["apples", "Cats and dogs", "Bees"]],
    ["type=video", []],
    ["limit=1&offset=1", ["Cats and dogs"]],
    ["limit=2&page=2", ["Bees"]],
    ["offset=3", []],
    ["updated_since=&search=", ["apples", "Cats and dogs", "Bees"]],
  ])("%s", async (query, expected) => {
    service.clock.advance(1000);
    expect(await titles(query)).toEqual(expected);
  });

  test("by id", async () => {
    const [first, , third] = await device.bookmarks();
    expect(await titles(`id=${first?.id}&id=${third?.id}`)).toEqual(["apples", "Bees"]);
  });

  test("updated_since is read as a minute earlier, as clients name the time of their own clocks", async () => {
    service.clock.advance(100);
    await user.send({ update_title: [{ url: "https://a.example/1", title: "Wasps" }] });
    service.clock.advance(59);
    const now = service.clock.now();
    const naive = new Date(now).toISOString().replace("Z", "");
    for (const time of [naive, `${naive}Z`, String(Math.floor(now / 1000))]) {
      expect(await titles(`updated_since=${time}`)).toEqual(["Wasps"]);
    }
    expect(await titles(`updated_since=${new Date(now + 2000).toISOString()}`)).toEqual([]);
  });

  test("the headers contain the total, the pages and their links", async () => {
    const { headers } = await device.call("GET", "bookmarks?limit=2&offset=2");
    expect(["total-count", "total-pages", "current-page"].map((name) => headers.get(name))).toEqual(["3", "2", "2"]);
    const base = `${service.baseUrl}/readeck/api/bookmarks?limit=2&offset=`;
    expect(headers.get("link")).toBe(`<${base}0>; rel="first", <${base}0>; rel="prev", <${base}2>; rel="last"`);
  });

  test("the link to the next page has the conditions of the query", async () => {
    service.clock.advance(1000);
    const { headers } = await device.call("GET", "bookmarks?site=a.example&limit=1&labels=%22x%22");
    const [, next = ""] = /<([^>]*)>; rel="next"/.exec(headers.get("link") ?? "") ?? [];
    expect(next).toMatch(/[?&]offset=1(&|$)/);
    expect(await titles(next.slice(next.indexOf("?") + 1))).toEqual(["Bees"]);
  });
});
