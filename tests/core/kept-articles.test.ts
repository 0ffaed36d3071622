import { createPageReader } from "@reading-list/article/page-reader.ts";
import { itemIdOf } from "@reading-list/core/domain/item-id.ts";
import { keepHtml, readArticle } from "@reading-list/core/use-cases/keep-article.ts";
import type { TestUser } from "@reading-list/testing/client.ts";
import { commandsFor } from "@reading-list/testing/command-line.ts";
import { type PageServer, prose, startPageServer } from "@reading-list/testing/page-server.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { noCache } from "../article/no-cache.ts";

let service: TestService;
let pages: PageServer;
let reader: ReturnType<typeof createPageReader>;
let commands: Awaited<ReturnType<typeof commandsFor>>;
let user: TestUser;
let url: string;
/** The page of every URL; a status if there is none. */
let shown: string | number;
let requests = 0;

const pageAbout = (topic: string) =>
  `<!doctype html><html lang="en"><head><title>About ${topic}</title></head><body><nav><a href="/">Home</a></nav><article>
  <p>This is about ${topic}.</p><img src="/picture.png" alt="A picture">${prose}</article></body></html>`;

beforeAll(async () => {
  service = await startTestService();
  commands = await commandsFor(service);
  pages = await startPageServer((_request, response) => {
    requests++;
    const [status, body] = typeof shown === "number" ? [shown, ""] : [200, shown];
    response.writeHead(status, { "content-type": "text/html", "cache-control": "no-store" }).end(body);
  });
  reader = createPageReader({
    allowedOrigins: [pages.origin],
    cache: noCache,
    clock: service.clock,
    deadlineMs: 50_000,
  });
});
afterAll(async () => {
  await reader.close();
  pages.stop();
});
let count = 0;
beforeEach(async () => {
  user = await service.newUser();
  url = `${pages.origin}/${++count}`;
  shown = pageAbout("foxes");
  requests = 0;
  await user.add(url);
});

async function callerOf({ credentials: { username } }: TestUser) {
  const found = await service.operator.findWritableUser(username);
  if (!found) throw new Error(`there is no user ${username}`);
  const application = {
    id: "local",
    name: "",
    status: "enabled",
    limits: { user: 1, key: 1 },
    isPublic: false,
  } as const;
  return { user: found, application };
}

/** The article of a call, with the quota in bytes. */
async function article(of: TestUser, { html, refresh = false, quota = 1e9 }: Partial<ArticleCall> = {}) {
  const { items, articles } = service.operator;
  const deps = { clock: service.clock, items, articles, articleQuota: quota, reader, textsAtOnce: undefined };
  const caller = await callerOf(of);
  return html === undefined
    ? readArticle({ ...deps, keyWindows: undefined as never }, caller, { url, refresh })
    : keepHtml({ ...deps, keyWindows: undefined as never }, caller, { url, html });
}
interface ArticleCall {
  html: string;
  refresh: boolean;
  quota: number;
}

/** The counts of a user's record. */
async function counted({ credentials: { username } }: TestUser) {
  const { articles, articleBytes } = (await service.operator.findUser(username)) ?? {};
  return { articles, articleBytes };
}

/** The stored article of the page. */
async function stored(of: TestUser) {
  const { user: owner } = await callerOf(of);
  const found = await service.operator.articles.find(owner, itemIdOf(url));
  if (!found) throw new Error("no article is kept");
  return found;
}

test("an article is read once, and then kept, also when its page is gone", async () => {
  const first = await article(user);
  expect(first).toMatchObject({ title: "About foxes", keptAt: service.clock.seconds() });
  expect(first.less).toContain(`This is about foxes.`);
  expect(first.less).not.toContain("Home");
  expect(first.more).toContain("Home");
  shown = 404;
  service.clock.advance(100);
  expect(await article(user)).toEqual(first);
  expect(requests).toBe(1);
});

test("refresh reads the page again, and an empty view does not replace the kept one", async () => {
  await article(user);
  shown = pageAbout("hares");
  expect((await article(user)).less).toContain("foxes");
  const hares = await article(user, { refresh: true });
  expect(hares.less).toContain("hares");
  shown = "<html><body></body></html>";
  expect(await article(user, { refresh: true })).toEqual(hares);
  shown = 500;
  await expect(article(user, { refresh: true })).rejects.toThrow("url answers with status 500");
  expect(await article(user)).toEqual(hares);
});

test("a page without text is answered and not kept", async () => {
  shown = "<html><body></body></html>";
  expect(await article(user)).toMatchObject({ less: "", more: "", keptAt: undefined });
  expect(await counted(user)).toEqual({ articles: 0, articleBytes: 0 });
});

test("html is extracted in place of the page, which is not read", async () => {
  shown = 403;
  expect((await article(user, { html: pageAbout("subscribers") })).less).toContain("subscribers");
  expect((await article(user)).less).toContain("subscribers");
  expect(requests).toBe(0);
});

test("a page that is not in the list is refused, also after its deletion", async () => {
  await article(user);
  await user.send({ delete: [{ url }] });
  await expect(article(user)).rejects.toThrow("article: url is not in the list; add it first");
  expect(await counted(user)).toEqual({ articles: 0, articleBytes: 0 });
  shown = pageAbout("hares");
  service.clock.advance(1);
  await user.add(url);
  expect((await article(user)).less).toContain("hares");
});

test("a repeated deletion deletes an article that an interrupted one has left", async () => {
  await article(user);
  const { user: owner } = await callerOf(user);
  const left = await stored(user);
  await user.send({ delete: [{ url }] });
  await service.operator.articles.keep(owner, itemIdOf(url), left, 1e9);
  await user.send({ delete: [{ url }] });
  expect(await counted(user)).toEqual({ articles: 0, articleBytes: 0 });
  expect(await service.operator.articles.find(owner, itemIdOf(url))).toBeUndefined();
});

test("an article is not that of an item that was added again", async () => {
  await article(user);
  const { user: owner } = await callerOf(user);
  const left = await stored(user);
  await user.send({ delete: [{ url }] });
  service.clock.advance(10);
  await user.add(url);
  await service.operator.articles.keep(owner, itemIdOf(url), left, 1e9);
  shown = pageAbout("hares");
  expect((await article(user)).less).toContain("hares");
});

test("beyond the quota a new article and a larger one are refused, and nothing is replaced", async () => {
  const kept = await article(user);
  const { articleBytes: quota = 0 } = await counted(user);
  const larger = pageAbout(Array.from({ length: 500 }, () => Math.random()).join(" "));
  await expect(article(user, { html: larger, quota })).rejects.toThrow(/the quota of 0 MB of kept articles is used up/);
  await expect(article(user, { html: larger, quota: 10 })).rejects.toThrow(/quota/);
  expect(await article(user, { quota })).toEqual(kept);
  expect(await counted(user)).toEqual({ articles: 1, articleBytes: quota });
  await user.send({ delete: [{ url }] });
  await user.add(url);
  expect((await article(user, { quota })).less).toContain("foxes");
});

test("users with the same page have their own articles", async () => {
  const other = await service.newUser();
  await other.add(url);
  await article(user, { html: pageAbout("secrets") });
  expect((await article(other)).less).toContain("foxes");
  await other.send({ delete: [{ url }] });
  expect((await article(user)).less).toContain("secrets");
});

test("a deleted user's articles are gone, and a later user of the name starts without any", async () => {
  const { username } = user.credentials;
  await article(user, { html: pageAbout("secrets") });
  const before = await callerOf(user);
  expect((await commands.run("users", "delete", username, "--yes")).out).toContain("1 kept article");
  expect(await service.operator.articles.find(before.user, itemIdOf(url))).toBeUndefined();
  const later = await service.newUser(username);
  await later.add(url);
  expect(await counted(later)).toEqual({ articles: 0, articleBytes: 0 });
  expect((await article(later)).less).toContain("foxes");
  await expect(service.operator.articles.keep(before.user, "1", await stored(later), 1e9)).rejects.toThrow();
});

test("concurrent articles are all counted", async () => {
  const urls = Array.from({ length: 8 }, (_, i) => `${url}/${i}`);
  await user.send({ new: urls.map((each) => ({ url: each })) });
  const { user: owner } = await callerOf(user);
  await article(user);
  const kept = await stored(user);
  await service.operator.articles.keep(owner, itemIdOf(url), kept, 1e9);
  const { articleBytes = 0 } = await counted(user);
  await Promise.all(urls.map((each) => service.operator.articles.keep(owner, itemIdOf(each), kept, 1e9)));
  expect(await counted(user)).toEqual({ articles: 9, articleBytes: 9 * articleBytes });
  await user.send({ delete: urls.map((each) => ({ url: each })) });
  expect(await counted(user)).toEqual({ articles: 1, articleBytes });
});
