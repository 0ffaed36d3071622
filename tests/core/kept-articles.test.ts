// SPDX-License-Identifier: MIT

import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { toItemId } from "@reading-list/core/domain/item-id.ts";
import { TestUser } from "@reading-list/testing/client.ts";
import { commandsFor, runCommand } from "@reading-list/testing/command-line.ts";
import { type PageServer, prose, startPageServer } from "@reading-list/testing/page-server.ts";
import { temporaryFolder } from "@reading-list/testing/temporary-folder.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { unzipSync } from "fflate";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from "vitest";

let service: TestService;
let pages: PageServer;
let user: TestUser;
/** A page of the user's list. */
let url: string;
/** The page of every URL, or a status without one. */
let shown: string | number;
let requests = 0;
/** Runs while a page is being read. */
let meanwhile = async () => {};

const pageAbout = (topic: string) =>
  `<!doctype html><html lang="en"><head><title>About ${topic}</title></head><body><nav><a href="/">Home</a></nav><article>
  <p>This is about ${topic}.</p><figure><img src="/picture.png" alt="A > B"></figure>${prose}</article></body></html>`;
const emptyPage = "<html><body></body></html>";
const add = "article: url is not in the list; add it first";

beforeAll(async () => {
  pages = await startPageServer(async (_request, response) => {
    requests++;
    await meanwhile();
    const [status, body] = typeof shown === "number" ? [shown, ""] : [200, shown];
    // Cached for `text`: a refresh must read it nevertheless.
    response.writeHead(status, { "content-type": "text/html", "cache-control": "max-age=86400" }).end(body);
  });
  service = await startTestService({ TEXT_ALLOWED_ORIGINS: pages.origin, ARTICLE_QUOTA_MB: "1" });
});
afterAll(() => pages.stop());
let count = 0;
beforeEach(async () => {
  user = await service.newUser();
  url = `${pages.origin}/${++count}`;
  shown = pageAbout("foxes");
  requests = 0;
  meanwhile = async () => {};
  await user.add(url);
});

const article = (parameters: Record<string, string> = {}, of = user) => of.ok("article", { url, ...parameters });

/** The refusal of an article. */
async function refusal(parameters: Record<string, string> = {}, of = user) {
  const { status, headers } = await of.call("article", { url, ...parameters });
  return `${status} ${headers.get("x-error")}`;
}

const counted = async (of = user) => {
  const { articles, articleBytes } = await service.findRecord(of);
  return { articles, articleBytes };
};
const nothing = { articles: 0, articleBytes: 0 };

/** The stored article of the page. */
const stored = async (of = user) => service.operator.articles.find(await service.findRecord(of), toItemId(url));

/** Stores an article of the page as an interrupted call would leave it. */
async function leaveArticle(of = user) {
  const left = await stored(of);
  return async () => {
    if (!left) throw new Error("no article was kept");
    await service.operator.articles.keep(await service.findRecord(of), toItemId(url), left, 1e9);
  };
}

describe("an article", () => {
  test("is read once and kept, even if its page is gone", async () => {
    const keptAt = String(service.clock.seconds());
    const first = await article();
    expect(first.headers.get("x-title")).toBe("About foxes");
    expect(first.headers.get("x-kept")).toBe(keptAt);
    expect(first.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(first.body).toContain("This is about foxes.");
    shown = 404;
    service.clock.advance(100_000);
    const second = await article();
    expect([second.body, second.headers.get("x-kept"), requests]).toEqual([first.body, keptAt, 1]);
  });

  test.each([{}, { images: "1" }, { mode: "more" }, { mode: "more", images: "1" }])(
    "with %o is the text view with the same parameters",
    async (parameters) => {
      await article();
      const { body } = await article(parameters);
      const text = await service.ok("text", { url, ...parameters });
      expect(body.replaceAll(/\s|<figure><\/figure>/g, "")).toBe(text.body.replaceAll(/\s|<figure><\/figure>/g, ""));
      expect(body.includes("<img")).toBe("images" in parameters);
      expect(body.includes("Home")).toBe("mode" in parameters);
    },
  );

  test("is read again with refresh=1, and an empty view does not replace it", async () => {
    await article();
    shown = pageAbout("hares");
    expect((await article()).body).toContain("foxes");
    const hares = (await article({ refresh: "1" })).body;
    expect(hares).toContain("hares");
    shown = emptyPage;
    expect((await article({ refresh: "1" })).body).toBe(hares);
    expect((await article({ html: emptyPage })).body).toBe(hares);
    shown = 500;
    expect(await refusal({ refresh: "1" })).toMatch(/^400 .*url answers with status 500/);
    expect((await article()).body).toBe(hares);
  });

  test("of a page without text is empty, and not kept", async () => {
    shown = emptyPage;
    const { body, headers } = await article();
    expect([body, headers.get("x-kept")]).toEqual(["", null]);
    expect(await counted()).toEqual(nothing);
  });

  test("is made of html, up to 4 MB, instead of the page, which is not read", async () => {
    shown = 403;
    expect((await article({ html: pageAbout("subscribers") })).body).toContain("subscribers");
    expect((await article()).body).toContain("subscribers");
    const long = `${pageAbout("much")}<!--${"x".repeat(3_990_000)}-->`;
    expect((await article({ html: long })).body).toContain("about much");
    expect(await refusal({ html: long + "x".repeat(10_000) })).toBe("400 article: html must be at most 4 MB");
    expect(requests).toBe(0);
  });

  test("is refused for a page that is not in the list, even if it is deleted while it is read", async () => {
    expect(await refusal({ url: `${url}/other` })).toBe(`400 ${add}`);
    await article();
    await user.send({ delete: [{ url }] });
    expect(await refusal()).toBe(`400 ${add}`);
    await user.add(url);
    meanwhile = async () => void (await user.send({ delete: [{ url }] }));
    shown = pageAbout("hares");
    expect(await refusal({ refresh: "1" })).toBe(`400 ${add}`);
    await user.send({ restore: [{ url }] });
    expect((await article()).body).toContain("hares");
    meanwhile = async () => {
      await user.send({ delete: [{ url }] });
      await user.ok("trash", { purge: "all" });
    };
    expect(await refusal({ refresh: "1" })).toBe(`400 ${add}`);
    expect([await stored(), await counted()]).toEqual([undefined, nothing]);
  });
});

describe("format=epub", () => {
  /** The files of a book. */
  async function book(parameters: Record<string, string>): Promise<Record<string, string>> {
    const form = service.formOf({ ...user.credentials, ...parameters, format: "epub" });
    const headers = { "content-type": "application/x-www-form-urlencoded", "accept-encoding": "br" };
    const response = await fetch(service.urlOf("article"), { method: "POST", headers, body: form });
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/epub+zip"]);
    expect(response.headers.get("content-disposition")).toMatch(/^attachment; .*\.epub$/);
    const files = unzipSync(new Uint8Array(await response.arrayBuffer()));
    return Object.fromEntries(Object.entries(files).map(([name, content]) => [name, Buffer.from(content).toString()]));
  }

  test("answers the kept article as a book", async () => {
    await article({ html: pageAbout("subscribers") });
    const files = await book({ url });
    expect(files["book/article-1.xhtml"]).toContain("This is about subscribers.");
    expect(files["book/package.opf"]).toContain("<dc:title>About subscribers</dc:title>");
    expect((await article()).headers.get("x-kept")).toBe(String(service.clock.seconds()));
  });

  test("marks the highlights of each page, with their notes as footnotes of it", async () => {
    await user.send({ new: [{ url: `${url}/2` }] });
    await article({ url: `${url}/2`, html: pageAbout("hares") });
    await article({ html: pageAbout("foxes") });
    const save = [
      { id: "a", url, quote: "about foxes", note: "Foxes, see" },
      { id: "b", url: `${url}/2`, quote: "about hares" },
    ];
    await user.ok("highlights", { save: JSON.stringify(save) });
    const files = await book({ urls: JSON.stringify([url, `${url}/2`]) });
    expect(files["book/article-1.xhtml"]).toMatch(/This is <mark>about foxes<\/mark><a [^>]*epub:type="noteref">/);
    expect(files["book/article-1.xhtml"]).toMatch(/<hr\/><ol><li [^>]*epub:type="footnote">Foxes, see /);
    expect(files["book/article-2.xhtml"]).toMatch(/This is <mark>about hares<\/mark>\./);
    expect(files["book/article-2.xhtml"]).not.toContain("<ol>");
  });

  test("of texts that are too long for one answer is 400, before they are all decompressed", async () => {
    const html = `<html><body><article><h1>T</h1><p>${"A sentence, as it is in such texts. ".repeat(30_000)}</p></article></body></html>`;
    expect((await article({ html })).status).toBe(200);
    const urls = (pages: number) => JSON.stringify(Array(pages).fill(url));
    const answer = await user.call("article", { urls: urls(50), format: "epub" });
    expect([answer.status, answer.headers.get("x-error")]).toEqual([
      400,
      "article: the texts of these pages are too long for one response; ask for fewer pages",
    ]);
    expect(Object.keys(await book({ urls: urls(2) }))).toContain("book/article-2.xhtml");
  });

  test("with urls answers a book of several pages in their order, and says which cannot be read", async () => {
    const urls = [url, `${url}/2`, `${url}/3`];
    await user.send({ new: urls.slice(1).map((each) => ({ url: each })) });
    await article({ url: `${url}/2`, html: pageAbout("hares") });
    await article({ html: pageAbout("foxes") });
    shown = 404;
    const files = await book({ urls: JSON.stringify(urls) });
    const texts = ["foxes", "hares", "The page answers with status 404."];
    for (const [index, text] of texts.entries()) expect(files[`book/article-${index + 1}.xhtml`]).toContain(text);
  });

  test.each([
    [{ urls: '["http://example.com/other"]', format: "epub" }, "urls.0 is not in the list; add it first"],
    [{ urls: "[]", format: "epub" }, "urls is empty"],
    [{ urls: "{}", format: "epub" }, "urls must be a JSON array of URLs"],
    [{ urls: '["x"]', format: "epub" }, "urls.0 is not an http(s) URL"],
    [{ urls: JSON.stringify(Array(51).fill("http://e.example/")), format: "epub" }, "urls contains more than 50 pages"],
    [{ urls: '["http://e.example/"]' }, "urls needs format=epub, and cannot be combined with html or refresh"],
    [{ url: "" }, "url is missing"],
    [{ format: "pdf" }, "format must be html or epub"],
  ])("%o is 400", async (parameters, error) => {
    expect(await refusal(parameters)).toBe(`400 article: ${error}`);
  });
});

describe("a deletion", () => {
  test("of an item leaves its article in the trash, until it is purged", async () => {
    await article();
    const kept = await counted();
    await user.send({ delete: [{ url }] });
    expect(await counted()).toEqual(kept);
    await user.ok("trash", { purge: JSON.stringify([url]) });
    expect([await stored(), await counted()]).toEqual([undefined, nothing]);
  });

  test("whose purge was interrupted leaves no article to the item that is added again", async () => {
    await article({ html: pageAbout("secrets") });
    const leave = await leaveArticle();
    await user.send({ delete: [{ url }] });
    await user.ok("trash", { purge: "all" });
    service.clock.advance(10);
    await user.add(url);
    await leave();
    expect((await article()).body).toContain("foxes");
  });

  test("of a user leaves nothing, and a later user with the same name has no articles", async () => {
    await article({ html: pageAbout("secrets") });
    const former = await service.findRecord(user);
    const commands = await commandsFor(service);
    const { username } = user.credentials;
    expect((await commands.run("users", "delete", username, "--yes")).out).toContain("1 saved copy");
    expect(await service.operator.articles.find(former, toItemId(url))).toBeUndefined();
    const later = await service.newUser(username);
    await later.add(url);
    expect(await counted(later)).toEqual(nothing);
    expect((await article({}, later)).body).toContain("foxes");
    const kept = await stored(later);
    if (!kept) throw new Error("no article was kept");
    await expect(service.operator.articles.keep(former, toItemId(url), kept, 1e9)).rejects.toThrow();
  });
});

describe("the command line", () => {
  let folder: string;
  beforeEach(() => {
    folder = temporaryFolder();
  });

  /** Exports the user's list; the files of the archive or book. */
  async function exported(...options: string[]): Promise<Record<string, string>> {
    const output = path.join(folder, "file");
    const commands = await commandsFor(service);
    await commands.ok("export", user.credentials.username, "--output", output, ...options);
    const files = Object.entries(unzipSync(readFileSync(output)));
    return Object.fromEntries(files.map(([name, content]) => [name, Buffer.from(content).toString()]));
  }

  test("exports an archive of the list and its articles", async () => {
    await article();
    await user.add(`${url}/2`);
    const files = await exported("--format", "archive");
    expect(Object.keys(files)).toEqual(["list.jsonl", `articles/${toItemId(url)}.html`]);
    expect(files["list.jsonl"]).toMatch(new RegExp(`"${url}"[\\s\\S]*"${url}/2"`));
    expect(files[`articles/${toItemId(url)}.html`]).toMatch(/<title>About foxes<\/title>[\s\S]*This is about foxes/);
  });

  test("exports a book of saved articles, and names a page without one", async () => {
    await article();
    expect((await exported("--format", "epub", "--url", url))["book/article-1.xhtml"]).toContain("This is about foxes");
    const commands = await commandsFor(service);
    const { username } = user.credentials;
    const { code, err } = await commands.run("export", username, "--format", "epub", "--url", `${url}/2`);
    expect([code, err]).toEqual([1, expect.stringContaining(`${url}/2 has no saved copy`)]);
  });

  test.skipIf(inject("isOnDynamodb"))(
    "moves articles, including articles that were saved after an earlier move",
    async () => {
      const target = await startTestService();
      const move = ["move", user.credentials.username, "--from", service.env.DATA_DIR, "--to", target.env.DATA_DIR];
      await user.add(`${url}/2`);
      for (const each of [url, `${url}/2`]) {
        await article({ url: each });
        expect((await runCommand(move, {})).code).toBe(0);
        const moved = new TestUser(target, user.credentials.username, user.credentials.password);
        shown = 404;
        expect((await article({ url: each }, moved)).body).toContain("This is about foxes");
        shown = pageAbout("foxes");
      }
      const { articles, articleBytes } = (await target.operator.findUser(user.credentials.username)) ?? {};
      expect({ articles, articleBytes }).toEqual(await counted());
    },
  );
});

test("users with the same page have their own articles", async () => {
  const other = await service.newUser();
  await other.add(url);
  await article({ html: pageAbout("secrets") });
  expect((await article({}, other)).body).toContain("foxes");
  expect((await service.ok("text", { url })).body).toContain("foxes");
  await other.send({ delete: [{ url }] });
  expect((await article()).body).toContain("secrets");
});

test("no other credentials read an article", async () => {
  await article({ html: pageAbout("secrets") });
  const { username } = user.credentials;
  const other = await service.newUser();
  for (const parameters of [{ password: "wrong" }, { username: other.credentials.username }, { username: "" }]) {
    expect(await refusal({ username, ...parameters })).toMatch(/^4/);
  }
  expect(await refusal({}, other)).toBe(`400 ${add}`);
});

test("an article beyond the quota is refused, and nothing is replaced", async () => {
  const { body } = await article();
  const kept = await stored();
  if (!kept) throw new Error("no article was kept");
  const filler = { ...kept, less: randomBytes(990_000).toString("base64"), more: "" };
  await service.operator.articles.keep(await service.findRecord(user), "1", filler, 1e9);
  const before = await counted();
  const large = pageAbout(randomBytes(10_000).toString("base64").replaceAll("/", " "));
  const refused = "400 article: the quota of 1 MB of saved copies is used up; delete pages with saved copies first";
  expect(await refusal({ html: large })).toBe(refused);
  await user.add(`${url}/2`);
  expect(await refusal({ url: `${url}/2`, html: large })).toBe(refused);
  expect((await article()).body).toBe(body);
  expect(await counted()).toEqual(before);
  await service.operator.articles.delete(await service.findRecord(user), ["1"]);
  expect((await user.call("article", { url, html: large })).status).toBe(200);
});

test("stats counts articles, with articles=1 only", async () => {
  await article();
  const { articles, articleBytes } = await counted();
  const counts = { articles: String(articles), article_bytes: String(articleBytes), article_quota: "1000000" };
  expect((await user.ok("stats", { articles: "1" })).json()).toMatchObject(counts);
  expect((await user.ok("stats")).body).not.toContain("article");
});

test("concurrent calls are all counted", async () => {
  const urls = Array.from({ length: 8 }, (_, i) => `${url}/${i}`);
  await user.send({ new: urls.map((each) => ({ url: each })) });
  const html = pageAbout("foxes");
  await Promise.all([...urls, ...urls].map((each) => article({ url: each, html })));
  const { articles } = await counted();
  let sum = 0;
  for await (const _ of service.operator.articles.walk(await service.findRecord(user))) sum++;
  expect([articles, sum]).toEqual([8, 8]);
  await user.send({ delete: urls.map((each) => ({ url: each })) });
  await user.ok("trash", { purge: "all" });
  expect(await counted()).toEqual(nothing);
});
