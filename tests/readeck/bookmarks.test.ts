import { maxLengths } from "@reading-list/core/domain/page-fields.ts";
import type { TestUser } from "@reading-list/testing/client.ts";
import type { ReadeckDevice } from "@reading-list/testing/readeck-device.ts";
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

test("annotations and collections are empty", async () => {
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
  expect(JSON.parse((await device.call("GET", `bookmarks/${id}`)).body)).toEqual(listed);
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

  test("the headers tell the total, the pages and their links", async () => {
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
