// SPDX-License-Identifier: MIT

import { opds } from "@reading-list/protocols/opds/api.ts";
import type { TestUser } from "@reading-list/testing/client.ts";
import { basic, newAppPassword, OpdsReader, opdsVersions } from "@reading-list/testing/opds-reader.ts";
import { articlePage, page, servePages } from "@reading-list/testing/page-server.ts";
import { parseXml } from "@reading-list/testing/parse-xml.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";

const versions = Object.entries(opdsVersions);

let service: TestService;
let user: TestUser;
let reader: OpdsReader;

beforeAll(async () => {
  service = await startTestService({ PUBLIC_KEY_ADDRESS_LIMIT: "100000" });
});
beforeEach(async () => {
  service.clock.advance(1);
  user = await service.newUser();
  reader = await OpdsReader.signIn(user);
});

const url = (i: number) => `https://www.example.com/${i}?a=1&b=${i}`;

/** Adds pages at seconds of their own. */
async function addPages(count: number, fields: Record<string, string> = {}): Promise<void> {
  for (let i = 0; i < count; i++) {
    service.clock.advance(1);
    await user.add(url(i), { title: `Page ${i}`, ...fields });
  }
}
const titlesIn = async (path: string) => (await reader.walk(path)).pages.map(({ title }) => title);

describe.each(versions)("OPDS %s", (version, root) => {
  test("begins with a folder for each state, for starred pages, for all pages and for tags", async () => {
    const { title, folders } = await reader.read(root);
    expect(title).toBe("Reading list");
    expect(folders).toEqual([
      { title: "Unread", href: `${service.baseUrl}${root}/unread` },
      { title: "Starred", href: `${service.baseUrl}${root}/starred` },
      { title: "Archive", href: `${service.baseUrl}${root}/archive` },
      { title: "All pages, newest first", href: `${service.baseUrl}${root}/all` },
      { title: "Tags", href: `${service.baseUrl}${root}/tags` },
    ]);
  });

  test("lists the pages of each folder, newest first", async () => {
    await addPages(4);
    await user.send({
      read: [{ url: url(2) }],
      update_tags: [
        { url: url(0), tags: "starred,Über uns" },
        { url: url(1), tags: "a/b,Über uns" },
      ],
    });
    const expected: Record<string, number[]> = { unread: [3, 1, 0], starred: [0], archive: [2], all: [3, 2, 1, 0] };
    for (const [folder, pages] of Object.entries(expected))
      expect([folder, await titlesIn(`${root}/${folder}`)]).toEqual([folder, pages.map((i) => `Page ${i}`)]);
    const { folders: tags } = await reader.read(`${root}/tags`);
    expect(tags.map(({ title }) => title)).toEqual(["a/b", "Über uns"]);
    expect(await Promise.all(tags.map(({ href }) => titlesIn(href)))).toEqual([["Page 1"], ["Page 1", "Page 0"]]);
  });

  test("has 50 pages in a part, and links to the next and the previous one", async () => {
    await user.send({ new: Array.from({ length: 101 }, (_, i) => ({ url: url(i) })) });
    const { pages, parts } = await reader.walk(`${root}/unread`);
    expect([new Set(pages.map(({ href }) => href)).size, pages.length, parts]).toEqual([101, 101, 3]);
    const links = async (path: string) => (await reader.read(`${root}${path}`)).links;
    const to = (part: number) => `${service.baseUrl}${root}/unread?page=${part}`;
    expect(await links("/unread")).toMatchObject({ self: to(1), first: to(1), next: to(2) });
    expect(await links("/unread")).not.toHaveProperty("previous");
    expect(await links("/unread?page=2")).toMatchObject({ previous: to(1), self: to(2), next: to(3) });
    expect(await links("/unread?page=3")).not.toHaveProperty("next");
    expect(await links("/unread?page=9")).toMatchObject({ previous: to(3), self: to(9) });
    expect(await links("/search?query=example.com")).toMatchObject({
      next: `${service.baseUrl}${root}/search?query=example.com&page=2`,
    });
  });

  test("has 50 tags in a part", async () => {
    const tags = Array.from({ length: 60 }, (_, i) => `tag ${i + 10}`);
    await user.add(url(0), { tags: tags.join(",") });
    const first = await reader.read(`${root}/tags`);
    const second = await reader.read(first.links.next ?? "");
    expect([...first.folders, ...second.folders].map(({ title }) => title)).toEqual(tags);
    expect(first.folders).toHaveLength(50);
  });

  test("has title, id, time, site, tags, page and book of each page", async () => {
    const titles = ['<b>&nbsp;"quoted"</b> ü \u{1f600}', "\u0001\u000bcontrol", "  "];
    for (const [i, title] of titles.entries()) await user.add(url(i), { title, tags: "a,b" });
    const { pages } = await reader.read(`${root}/all`);
    const items = await user.items();
    for (const [i, { item_id, time_updated }] of items.entries()) {
      expect(pages.find(({ book }) => book.includes(item_id))).toEqual({
        title: expect.any(String),
        id: `tag:reading-list.invalid,2026:${user.credentials.username}/${item_id}`,
        updated: new Date(Number(time_updated) * 1000).toISOString().replace(".000", ""),
        site: "example.com",
        tags: ["a", "b"],
        href: items[i]?.url,
        book: `${service.baseUrl}/opds/books/${item_id}.epub`,
      });
    }
    const shown = pages.map(({ title }) => title);
    expect(shown).toContain(titles[0]);
    // JSON has control characters, which XML forbids; a page without a title has its URL.
    expect(shown).toContain(version === "1.2" ? "control" : titles[1]);
    expect(shown).toContain(url(2));
  });

  test("searches titles, URLs and tags by the words of its search link", async () => {
    await user.add(url(1), { title: "Foxes & bees" });
    await user.add(url(2), { title: "Bees", tags: "foxes" });
    await user.add(url(3), { title: "Foxes" });
    const { search = "" } = (await reader.read(root)).links;
    const description = version === "1.2" ? parseXml((await reader.call(search)).body) : undefined;
    const { attributes } = description?.children.find(({ name }) => name === "Url") ?? {};
    const template = attributes?.template ?? search.replace("{?query}", "?query={searchTerms}");
    const found = await titlesIn(template.replace("{searchTerms}", encodeURIComponent("foxes bees")));
    expect(found.sort()).toEqual(["Bees", "Foxes & bees"]);
    expect(await titlesIn(template.replace("{searchTerms}", "nothing"))).toEqual([]);
  });

  test.each([
    ["/unread?page=0", "page"],
    ["/unread?page=two", "page"],
    ["/tag", "name"],
    [`/search?query=${"x".repeat(501)}`, "query"],
  ])("refuses %s and names the parameter", async (path, parameter) => {
    const { status, headers } = await reader.call(root + path);
    expect([status, headers.get("x-error")]).toEqual([400, expect.stringContaining(parameter)]);
  });

  test("does not exist at other paths", async () => {
    for (const path of ["/nothing", "/unread/1"]) expect((await reader.call(root + path)).status).toBe(404);
    expect((await reader.call(`${root}/unread`, { method: "POST" })).status).toBe(404);
  });
});

test("feeds have the media types of their version, which distinguish folders from pages", async () => {
  await addPages(1);
  const [item] = await user.items();
  const typeOf = async (path: string) => (await reader.call(path)).headers.get("content-type");
  const atom = "application/atom+xml;profile=opds-catalog;kind=";
  expect(await typeOf("/opds")).toBe(`${atom}navigation`);
  expect(await typeOf("/opds/tags")).toBe(`${atom}navigation`);
  expect(await typeOf("/opds/unread")).toBe(`${atom}acquisition`);
  expect(await typeOf("/opds/opensearch.xml")).toBe("application/opensearchdescription+xml");
  expect(await typeOf("/opds/v2")).toBe("application/opds+json");
  expect(await typeOf("/opds/v2/unread")).toBe("application/opds+json");
  expect(await typeOf(`/opds/v2/publications/${item?.item_id}`)).toBe("application/opds-publication+json");
});

test("a publication of OPDS 2.0 is the one of its feed", async () => {
  await addPages(1);
  const { publications } = JSON.parse((await reader.call("/opds/v2/all")).body);
  const self = publications[0].links.find(({ rel }: { rel: string }) => rel === "self").href;
  expect(JSON.parse((await reader.call(self)).body)).toEqual(publications[0]);
});

test("links are below BASE_URL", async () => {
  const behindProxy = await startTestService({ BASE_URL: "https://list.example.com/" });
  const owner = await behindProxy.newUser();
  await owner.add(url(1));
  const books = await OpdsReader.signIn(owner);
  for (const path of ["/opds", "/opds/all", "/opds/v2", "/opds/v2/all", "/opds/opensearch.xml"]) {
    const { body } = await books.call(path);
    expect(body).toContain("https://list.example.com/opds/");
    expect(body).not.toContain(behindProxy.baseUrl);
  }
});

describe("a book", () => {
  test("is an EPUB of the page's article, which is read if it is not kept", async () => {
    const origin = await servePages(page(articlePage));
    const kept = await startTestService({ TEXT_ALLOWED_ORIGINS: origin });
    const owner = await kept.newUser();
    await owner.add(`${origin}/story`, { title: "Mine" });
    const books = await OpdsReader.signIn(owner);
    const { book = "" } = (await books.read("/opds/unread")).pages[0] ?? {};
    const response = await fetch(book, { headers: { authorization: books.authorization } });
    expect(response.headers.get("content-type")).toBe("application/epub+zip");
    expect(Buffer.from(await response.arrayBuffer()).toString("latin1")).toMatch(
      /^PK.{28}mimetypeapplication\/epub\+zip/s,
    );
    expect((await owner.stats()).count_unread).toBe("1");
    expect((await fetch(book)).status).toBe(401);
  });

  test("of a page that is not in the list is 404, of one that cannot be read 400 with the reason", async () => {
    expect((await reader.call("/opds/books/123.epub")).status).toBe(404);
    await user.add("http://127.0.0.1:1/");
    const { book = "" } = (await reader.read("/opds/unread")).pages[0] ?? {};
    const { status, headers } = await reader.call(book);
    expect([status, headers.get("x-error")]).toEqual([400, expect.stringContaining("url")]);
  });
});

describe("the sign-in", () => {
  const routesOf = (caller: string) =>
    opds.routes
      .filter((route) => route.caller === caller)
      .map(({ route }) => `/opds${route.replace(/^GET /, "").replace("{id}", "1").replace(/tag$/, "tag?name=a")}`);

  const document = () => ({
    id: `${service.baseUrl}/opds/authentication.json`,
    title: "Reading list",
    description: expect.stringContaining("app password"),
    authentication: [
      { type: "http://opds-spec.org/auth/basic", labels: { login: "Username", password: "App password" } },
    ],
  });

  test.each(routesOf("user"))("of %s is asked for with Basic and an authentication document", async (path) => {
    const { status, headers, body } = await service.fetch(service.baseUrl + path);
    expect([status, headers.get("www-authenticate")]).toEqual([401, 'Basic realm="Reading list", charset="UTF-8"']);
    expect(headers.get("content-type")).toBe("application/opds-authentication+json");
    expect(headers.get("link")).toContain(`<${service.baseUrl}/opds/authentication.json>`);
    expect(JSON.parse(body)).toEqual(document());
  });

  test("is not needed to learn how to sign in and how to search", async () => {
    expect(routesOf("application")).toEqual(["/opds/opensearch.xml", "/opds/authentication.json"]);
    for (const path of routesOf("application")) expect((await service.fetch(service.baseUrl + path)).status).toBe(200);
    const { body } = await service.fetch(`${service.baseUrl}/opds/authentication.json`);
    expect(JSON.parse(body)).toEqual(document());
  });

  test("takes the username in any case", async () => {
    const authorization = basic(user.credentials.username.toUpperCase(), await newAppPassword(user));
    expect((await service.fetch(`${service.baseUrl}/opds`, { headers: { authorization } })).status).toBe(200);
  });

  test("accepts only app passwords", async () => {
    const { username, password } = user.credentials;
    const other = await service.newUser();
    const refused = [
      basic(username, password),
      basic(username, ""),
      basic("nobody", await newAppPassword(user)),
      basic(other.credentials.username, await newAppPassword(user)),
      `Bearer ${username}.${await newAppPassword(user)}`,
      "Basic",
      "Basic ???",
    ];
    for (const authorization of refused) {
      const { status } = await service.fetch(`${service.baseUrl}/opds`, { headers: { authorization } });
      expect([authorization, status]).toEqual([authorization, 401]);
    }
  });

  test("ends with the revocation of the app password", async () => {
    const { body } = await user.ok("app_passwords");
    const [id = ""] = Object.keys(JSON.parse(body).list);
    expect((await reader.call("/opds")).status).toBe(200);
    await user.ok("app_passwords", { revoke: id });
    expect((await reader.call("/opds")).status).toBe(401);
  });

  test("costs wrong secrets the lockout, which the right one passes", async () => {
    const authorization = basic(user.credentials.username, "a".repeat(20));
    const guess = async () => (await service.fetch(`${service.baseUrl}/opds`, { headers: { authorization } })).status;
    for (let i = 0; i < 10; i++) expect(await guess()).toBe(401);
    expect(await guess()).toBe(429);
    expect((await reader.call("/opds")).status).toBe(200);
  });
});

test("HEAD answers as GET does, without a body", async () => {
  await addPages(1);
  for (const path of ["/opds", "/opds/v2/unread"]) {
    const [head, get] = [await reader.call(path, { method: "HEAD" }), await reader.call(path)];
    expect([head.status, head.body]).toEqual([200, ""]);
    for (const name of ["content-type", "content-length"]) expect(head.headers.get(name)).toBe(get.headers.get(name));
  }
});

test("each call counts against the user", async () => {
  const left = async () => Number((await reader.call("/opds/v2/unread")).headers.get("x-limit-user-remaining"));
  const before = await left();
  expect(await left()).toBe(before - 1);
});
