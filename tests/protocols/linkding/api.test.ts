// SPDX-License-Identifier: MIT

import type { TestUser } from "@reading-list/testing/client.ts";
import { type LinkdingBookmark, LinkdingDevice, type LinkdingPage } from "@reading-list/testing/linkding-device.ts";
import { type PageServer, prose, startPageServer } from "@reading-list/testing/page-server.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

let pages: PageServer;
let service: TestService;
let user: TestUser;
let device: LinkdingDevice;

beforeAll(async () => {
  const article = `<title>Harbour</title><article><h1>Harbour</h1>${prose}</article>`;
  pages = await startPageServer(({ url }, response) => {
    if (url === "/gone") response.writeHead(404).end();
    else response.writeHead(200, { "content-type": "text/html" }).end(article);
  });
  service = await startTestService({ TEXT_ALLOWED_ORIGINS: pages.origin, PUBLIC_KEY_ADDRESS_LIMIT: "100000" });
});
afterAll(() => pages.stop());
beforeEach(async () => {
  service.clock.advance(1);
  user = await service.newUser();
  device = await LinkdingDevice.signIn(user);
});

const urlOf = (name: string | number) => `http://127.0.0.1:1/${name}`;
const form = "bookmarks/?disable_scraping";
const save = (fields: object, path = form) => device.ok("POST", path, fields, 201);
const list = (query = "", path = "bookmarks/") => device.ok<LinkdingPage>("GET", `${path}?${query}`);
const urls = async (query = "") => (await list(query)).results.map(({ url }) => url.replace(urlOf(""), ""));
const patch = (id: number, fields: object) => device.ok("PATCH", `bookmarks/${id}/`, fields);
const read = (id: number) => device.ok("GET", `bookmarks/${id}/`);
const highlights = async () => Object.values(JSON.parse((await user.ok("highlights")).body).list) as { note: string }[];

describe("a sign-in", () => {
  test("is `Token` or `Bearer`, in any case, with a username and an app password", async () => {
    for (const scheme of ["Token", "Bearer", "token"])
      expect((await device.call("GET", "bookmarks/", undefined, scheme)).status).toBe(200);
  });

  test("that is missing or wrong is 401 in linkding's form", async () => {
    const wrong = `${user.credentials.username}.${"a".repeat(20)}`;
    for (const authorization of [undefined, "Token", "Token x", "Basic YTpi", `Token ${wrong}`]) {
      const answer = await device.send("GET", "bookmarks/", authorization ? { headers: { authorization } } : {});
      expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([401, "Token"]);
      expect(Object.keys(JSON.parse(answer.body))).toEqual(["detail"]);
    }
  });

  test("of scope read reads the list and checks addresses, and changes nothing", async () => {
    const { id } = await save({ url: urlOf(1) });
    const reader = await LinkdingDevice.signIn(user, { scope: "read" });
    for (const path of ["bookmarks/", `bookmarks/${id}/`, "tags/", `bookmarks/check/?url=${pages.origin}/a`])
      expect((await reader.call("GET", path)).status).toBe(200);
    for (const [method, path] of [
      ["POST", "bookmarks/"],
      ["PATCH", `bookmarks/${id}/`],
      ["DELETE", `bookmarks/${id}/`],
    ] as const)
      expect((await reader.call(method, path, { url: urlOf(2) })).status).toBe(401);
    expect((await list()).count).toBe(1);
  });
});

test("paths may lack the slash at their end, and the address may have been typed with `/api`", async () => {
  const { id } = await save({ url: urlOf(1) });
  for (const path of ["bookmarks", `bookmarks/${id}`, "tags", "user/profile", "/api/bookmarks/", "api/tags/"])
    expect([path, (await device.call("GET", path)).status]).toEqual([path, 200]);
});

test("an error names the field, as linkding's do; any other is a detail", async () => {
  const errorOf = async (method: string, path: string, fields?: object) => {
    const { status, body } = await device.call(method, path, fields);
    return [status, JSON.parse(body)];
  };
  expect(await errorOf("POST", "bookmarks/", {})).toEqual([400, { url: ["is missing"] }]);
  expect(await errorOf("POST", "bookmarks/", { url: "ftp://a" })).toEqual([400, { url: ["is not an http(s) URL"] }]);
  const tags = Array.from({ length: 101 }, (_, n) => `t${n}`);
  expect(await errorOf("POST", "bookmarks/", { url: urlOf(1), tag_names: tags })).toEqual([
    400,
    { tag_names: [expect.stringMatching(/100 strings/)] },
  ]);
  expect(await errorOf("GET", "bookmarks/?limit=x")).toEqual([400, { limit: ["must be a whole number"] }]);
  expect(await errorOf("GET", "bookmarks/?q=is:odd")).toMatchObject([400, { q: [expect.any(String)] }]);
  expect(await errorOf("GET", "bookmarks/99/")).toEqual([404, { detail: expect.any(String) }]);
  expect(await errorOf("GET", "nothing/")).toEqual([404, { detail: expect.any(String) }]);
});

describe("a list", () => {
  test("has pages of limit and offset with links; each bookmark once, whatever changes meanwhile", async () => {
    for (let n = 1; n <= 7; n++) {
      service.clock.advance(1);
      await save({ url: urlOf(n) });
    }
    const first = await list("limit=3");
    expect([first.count, first.previous]).toEqual([7, null]);
    expect(first.next).toBe(`${service.baseUrl}/linkding/api/bookmarks/?limit=3&offset=3`);
    const seen = first.results.map(({ url }) => url);
    await save({ url: urlOf("new") });
    for (let next = first.next; next; ) {
      const answer = await service.fetch(next, { headers: { authorization: `Token ${device.token}` } });
      const page = JSON.parse(answer.body) as LinkdingPage;
      seen.push(...page.results.map(({ url }) => url));
      expect(page.previous).toContain("limit=3&offset=");
      next = page.next;
    }
    expect(seen).toEqual([7, 6, 5, 4, 3, 2, 1].map(urlOf));
  });

  test("of 5,000 is one page, with the notes on pages", async () => {
    const entries = Array.from({ length: 1200 }, (_, n) => ({ url: urlOf(n) }));
    await user.send({ new: entries });
    await user.ok("highlights", { save: JSON.stringify([{ id: "n", url: urlOf(7), note: "seven" }]) });
    const { results, next, count } = await list("limit=5000");
    expect([results.length, next, count]).toEqual([1200, null, 1200]);
    expect(results.filter(({ notes }) => notes !== "")).toMatchObject([{ url: urlOf(7), notes: "seven" }]);
    expect(new Set(results.map(({ id }) => id)).size).toBe(1200);
    expect((await list()).results).toHaveLength(100);
  });

  test("finds words, #tags in any case and with - for blanks, !unread and !untagged", async () => {
    await save({ url: urlOf("a"), title: "Old harbour", tag_names: ["To read", "Sea"] });
    await save({ url: urlOf("b"), title: "New harbour", tag_names: ["sea"] });
    await save({ url: urlOf("c"), title: "Hills" });
    const found = async (q: string) => (await urls(`q=${encodeURIComponent(q)}`)).sort();
    expect(await found("harbour")).toEqual(["a", "b"]);
    expect(await found('"new harbour"')).toEqual(["b"]);
    expect(await found("#SEA")).toEqual(["a", "b"]);
    expect(await found("#to-read harbour")).toEqual(["a"]);
    expect(await found("#sea #to-read")).toEqual(["a"]);
    expect(await found("!untagged")).toEqual(["c"]);
    expect(await found("!unread hills !odd")).toEqual(["c"]);
    expect(await found("#none")).toEqual([]);
    expect((await list("q=!unread", "bookmarks/archived/")).count).toBe(0);
  });

  test("has what was changed after modified_since, less a minute, or added after added_since; an odd time is ignored", async () => {
    await save({ url: urlOf("old"), title: "T" });
    service.clock.advance(300);
    const between = new Date(service.clock.seconds() * 1000).toISOString();
    service.clock.advance(300);
    const { id } = await save({ url: urlOf("new") });
    expect(await urls(`added_since=${between}`)).toEqual(["new"]);
    expect(await urls(`modified_since=${between}`)).toEqual(["new"]);
    service.clock.advance(300);
    const later = new Date(service.clock.seconds() * 1000).toISOString();
    expect(await urls(`modified_since=${later}`)).toEqual([]);
    await patch(id, { title: "changed" });
    expect([await urls(`modified_since=${later}`), await urls(`added_since=${later}`)]).toEqual([["new"], []]);
    expect(await urls("modified_since=yesterday&added_since=x")).toHaveLength(2);
  });
});

describe("tags", () => {
  test("keep their blanks; an edit with - for a blank, or with two tags for one, leaves the tag", async () => {
    const { id, url, tag_names: names } = await save({ url: urlOf(1), tag_names: ["tag 1", "b"] });
    expect(names).toEqual(["tag 1", "b"]);
    // As an app does that writes tags without blanks, and as the extension does, which cuts its form at blanks.
    for (const sent of [
      ["tag-1", "b", "c"],
      ["tag", "1", "b", "c"],
    ]) {
      const changed = await device.ok("PUT", `bookmarks/${id}/`, { url, tag_names: sent });
      expect(changed.tag_names.toSorted()).toEqual(["b", "c", "tag 1"]);
    }
    expect((await patch(id, { tag_names: ["b"] })).tag_names).toEqual(["b"]);
    // A tag that is new is as it was sent.
    expect((await patch(id, { tag_names: ["tag-1"] })).tag_names).toEqual(["tag-1"]);
  });

  test("are changed as differences: one that another device adds meanwhile, and the star, stay", async () => {
    const { id } = await save({ url: urlOf(1), tag_names: ["a"] });
    await user.send({ add_tags: [{ url: urlOf(1), tags: "starred" }] });
    expect((await patch(id, { tag_names: ["b"] })).tag_names).toEqual(["b"]);
    expect((await user.items({ tags: "1" })).flatMap(({ tags = "" }) => tags.split(",").toSorted())).toEqual([
      "b",
      "starred",
    ]);
  });

  test("are listed by their names; one that no bookmark has is answered, and is there with its first bookmark", async () => {
    await save({ url: urlOf(1), tag_names: ["b", "a c"] });
    const created = await device.ok<{ id: number; name: string }>("POST", "tags/", { name: "new" }, 201);
    const { results, count } = await device.ok<LinkdingPage<{ id: number; name: string }>>("GET", "tags/?limit=5000");
    expect([count, results.map(({ name }) => name)]).toEqual([2, ["a c", "b"]]);
    expect((await device.call("GET", `tags/${created.id}/`)).status).toBe(404);
    await save({ url: urlOf(2), tag_names: ["new"] });
    expect(await device.ok("GET", `tags/${created.id}/`)).toEqual(created);
  });
});

describe("unread", () => {
  test("is ignored by POST and PUT, and archives by PATCH unless is_archived says something else", async () => {
    const { id, url } = await save({ url: urlOf(1), unread: false });
    expect((await device.ok("PUT", `bookmarks/${id}/`, { url, unread: false })).is_archived).toBe(false);
    expect((await patch(id, { unread: false, is_archived: false })).is_archived).toBe(false);
    expect((await patch(id, { unread: false })).is_archived).toBe(true);
    expect((await device.ok("PUT", `bookmarks/${id}/`, { url, unread: true })).is_archived).toBe(true);
    expect((await patch(id, { title: "T" })).is_archived).toBe(true);
    expect((await patch(id, { unread: true })).is_archived).toBe(false);
  });
});

describe("notes", () => {
  test("are the newest note on the page: shown, changed, and deleted if they are emptied", async () => {
    const { id } = await save({ url: urlOf(1), notes: "first" });
    await user.ok("highlights", {
      save: JSON.stringify([
        { id: "older", url: urlOf(1), note: "older", time_created: 1_600_000_000 },
        { id: "passage", url: urlOf(1), quote: "a passage", note: "of a passage" },
      ]),
    });
    expect((await read(id)).notes).toBe("first");
    expect((await patch(id, { notes: "second" })).notes).toBe("second");
    expect((await patch(id, { title: "T" })).notes).toBe("second");
    expect((await patch(id, { notes: "" })).notes).toBe("older");
    expect((await highlights()).map(({ note }) => note).toSorted()).toEqual(["of a passage", "older"]);
    expect((await list()).results).toMatchObject([{ notes: "older" }]);
  });

  test("are searched", async () => {
    await save({ url: urlOf(1), notes: "a capybara" });
    await save({ url: urlOf(2) });
    expect(await urls("q=capybara")).toEqual(["1"]);
  });
});

describe("the description", () => {
  const excerpt = /^Paragraph 0 of the article says/;

  test("is the excerpt of the kept article; sent back, it changes nothing", async () => {
    const saved = await save({ url: `${pages.origin}/a` }, "bookmarks/");
    expect(saved).toMatchObject({ title: "Harbour", description: expect.stringMatching(excerpt), notes: "" });
    expect(await device.ok("PUT", `bookmarks/${saved.id}/`, saved)).toEqual(saved);
    expect(await highlights()).toEqual([]);
    // A list reads no articles.
    expect((await list()).results).toMatchObject([{ description: "" }]);
  });

  test("that differs becomes the note if the page has no note, else the answer says that it is not stored", async () => {
    const { id } = await save({ url: `${pages.origin}/a` }, "bookmarks/");
    expect(await patch(id, { description: "My own" })).toMatchObject({
      notes: "My own",
      description: expect.stringMatching(excerpt),
    });
    const again = await device.call("PATCH", `bookmarks/${id}/`, { description: "My own" });
    expect([again.status, again.headers.get("x-notice")]).toEqual([200, null]);
    const other = await device.call("PATCH", `bookmarks/${id}/`, { description: "Another" });
    expect([other.status, other.headers.get("x-notice")]).toEqual([
      200,
      "description is not stored, because notes is not empty",
    ]);
    expect((await read(id)).notes).toBe("My own");
    const both = await device.call("PATCH", `bookmarks/${id}/`, { description: "Another", notes: "Note" });
    expect([JSON.parse(both.body).notes, both.headers.has("x-notice")]).toEqual(["Note", true]);
  });
});

describe("check", () => {
  const check = (url: string) =>
    device.ok<{ bookmark: LinkdingBookmark | null; metadata: object }>(
      "GET",
      `bookmarks/check/?url=${encodeURIComponent(url)}`,
    );

  test("of a page that cannot be read, or must not be, has no metadata, and is 200", async () => {
    const none = { title: null, description: null, preview_image: null };
    for (const url of [`${pages.origin}/gone`, "http://127.0.0.1:1/private"])
      expect(await check(url)).toEqual({ bookmark: null, metadata: { url, ...none }, auto_tags: [] });
    expect((await device.call("GET", "bookmarks/check/?url=ftp://a")).status).toBe(400);
  });

  test("adds nothing, and counts as a call", async () => {
    const used = async () => Number((await user.call("stats")).headers.get("x-limit-user-remaining"));
    const before = await used();
    await check(`${pages.origin}/a`);
    expect(before - (await used())).toBe(2);
    expect(await user.items()).toEqual([]);
  });
});

test("saving a known page leaves its state and place; only an app that shows a form takes tags and notes away", async () => {
  const fields = { url: urlOf(1), tag_names: ["a", "b"], notes: "note", title: "T" };
  const { id, ...saved } = await save({ ...fields, is_archived: true });
  service.clock.advance(10);
  const again = await save({ url: urlOf(1), tag_names: ["c"], notes: "", title: "" }, "bookmarks/");
  expect(again).toMatchObject({ id, is_archived: true, title: "T", notes: "note", tag_names: ["a", "b", "c"] });
  expect(again.date_added).toBe(saved.date_added);
  const edited = await save({ url: urlOf(1), tag_names: ["c"], notes: "" });
  expect(edited).toMatchObject({ id, is_archived: true, notes: "", tag_names: ["c"] });
});

test("a URL is saved, and found by check, without parameters that only track", async () => {
  const { id, url } = await save({ url: `${urlOf("a")}?utm_source=x&id=1` });
  expect(url).toBe(`${urlOf("a")}?id=1`);
  const sent = encodeURIComponent(`${urlOf("a")}?id=1&utm_source=y`);
  const { bookmark } = await device.ok<{ bookmark: LinkdingBookmark }>("GET", `bookmarks/check/?url=${sent}`);
  expect(bookmark.id).toBe(id);
});

test("a page of the trash comes back as a new one", async () => {
  const { id } = await save({ url: urlOf(1), tag_names: ["a"], is_archived: true });
  await device.ok("DELETE", `bookmarks/${id}/`, undefined, 204);
  expect(await save({ url: urlOf(1) })).toMatchObject({ is_archived: false, tag_names: [] });
});

/** The calls of linkding's browser extension 1.15.0, in its order, with the fields that it sends. */
describe("the browser extension", () => {
  const url = () => `${pages.origin}/extension`;
  const openPopup = async () => {
    await device.ok("GET", "user/profile/");
    const { results } = await device.ok<LinkdingPage<{ name: string }>>("GET", "tags/?limit=5000");
    const checked = await device.ok<{ bookmark: LinkdingBookmark | null; metadata: Record<string, string> }>(
      "GET",
      `bookmarks/check/?url=${encodeURIComponent(url())}`,
    );
    return { names: results.map(({ name }) => name), ...checked };
  };

  test("is configured, saves a page, edits it in the same form, finds it from the address bar, and deletes it", async () => {
    expect(Array.isArray((await list("limit=1")).results)).toBe(true);
    const { metadata, bookmark } = await openPopup();
    expect([bookmark, metadata.url, metadata.title]).toEqual([null, url(), "Harbour"]);
    const { title, description } = metadata;
    const empty = { notes: "", unread: false, shared: false };
    const saved = await save({ url: url(), title, description, tag_names: ["sea", "news"], ...empty });
    // Text that the extension has read from the page is not a person's note.
    expect(saved).toMatchObject({ title, description, notes: "", tag_names: ["sea", "news"], unread: true });
    const opened = await openPopup();
    expect([opened.bookmark, opened.names]).toEqual([saved, ["news", "sea"]]);
    const { id: _, ...known } = opened.bookmark as LinkdingBookmark;
    const edited = await save({ ...known, notes: "remember", tag_names: ["sea"] }, `${form}&disable_html_snapshot`);
    expect(edited).toEqual({ ...saved, notes: "remember", tag_names: ["sea"], date_modified: edited.date_modified });
    expect((await list("q=harb&limit=5")).results.map((each) => each.url)).toEqual([url()]);
    await device.ok("DELETE", `bookmarks/${saved.id}/`, undefined, 204);
    expect((await openPopup()).bookmark).toBeNull();
  });

  test("saves a link from the menu without a form", async () => {
    const { title, description } = (await openPopup()).metadata;
    const saved = await save({ url: url(), title, description, tag_names: [], unread: false, shared: false });
    expect(saved).toMatchObject({ title: "Harbour", notes: "", is_archived: false });
  });
});
