// SPDX-License-Identifier: MIT

import { writeFileSync } from "node:fs";
import path from "node:path";
import { toItemId } from "@reading-list/core/domain/item-id.ts";
import type { PageKeeper } from "@reading-list/core/use-cases/articles/keep-pages.ts";
import { type Parameters, TestUser } from "@reading-list/testing/client.ts";
import { commandsFor } from "@reading-list/testing/command-line.ts";
import { type PageServer, prose, startPageServer } from "@reading-list/testing/page-server.ts";
import { temporaryFolder } from "@reading-list/testing/temporary-folder.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

let service: TestService;
let keeper: PageKeeper;
let user: TestUser;
/** Three sites. */
const servers: PageServer[] = [];
/** The answers of pages. */
let status: number;
let html: string;
/** Addresses of pages that were asked for, and how many were at once. */
let requests: string[];
let atOnce: number;
let most: number;
/** Runs while a page is being read. */
let meanwhile: () => Promise<void>;
let count = 0;

const pageAbout = (topic: string) =>
  `<!doctype html><html lang="en"><head><title>About ${topic}</title></head><body><article>
  <h1>About ${topic}</h1><p>This is about ${topic}.</p>${prose}</article></body></html>`;

beforeAll(async () => {
  for (const address of ["127.0.0.1", "127.0.0.2", "127.0.0.3"]) {
    const server = await startPageServer(async (request, response) => {
      // Pictures have their own suite.
      if (request.url?.endsWith(".png")) return void response.writeHead(404).end();
      requests.push(`http://${request.headers.host}${request.url}`);
      most = Math.max(most, ++atOnce);
      await meanwhile();
      atOnce -= 1;
      response.writeHead(status, { "content-type": "text/html", "cache-control": "no-store" }).end(html);
    }, address);
    servers.push(server);
  }
  const env = { TEXT_ALLOWED_ORIGINS: servers.map(({ origin }) => origin).join(","), ARTICLE_QUOTA_MB: "1" };
  service = await startTestService(env, { takeKeeper: (each) => (keeper = each) });
});
afterAll(() => {
  for (const { stop } of servers) stop();
});
beforeEach(async () => {
  // The pages of the test before wait for good, and the sites can be asked again.
  await user?.call("kept", { auto: 0 });
  service.clock.advance(2);
  user = await service.newUser();
  [status, html, requests, atOnce, most] = [200, pageAbout("foxes"), [], 0, 0];
  meanwhile = async () => {};
});

/** The address of a new page of a site. */
const newUrl = (site = 0) => `${servers[site]?.origin}/${++count}`;

interface KeptAnswer extends Record<string, unknown> {
  since: string;
  list: Record<string, Record<string, string>>;
}
const kept = async (parameters: Parameters = {}, of = user): Promise<KeptAnswer> =>
  JSON.parse((await of.ok("kept", parameters)).body);
const entryOf = async (url: string, of = user) => (await kept({}, of)).list[toItemId(url)];

/** Lets the keeper do all that is due now. */
async function work(): Promise<void> {
  await keeper.round();
  await keeper.finish();
}

const day = 86_400;

// No process keeps pages in the background on DynamoDB yet.
describe("a page that was saved", () => {
  test("is saved in the background, and shows its number of words, its beginning and its picture", async () => {
    const url = newUrl(2);
    html = html.replace("<h1>", '<figure><img src="/picture.png" alt=""></figure><h1>');
    await user.add(url);
    await work();
    const entry = await entryOf(url);
    expect(entry).toEqual({
      item_id: toItemId(url),
      url,
      state: "kept",
      error: "",
      time_updated: expect.any(String),
      words: expect.stringMatching(/^2\d\d$/),
      image: `${servers[2]?.origin}/picture.png`,
      excerpt: expect.stringMatching(/^This is about foxes\. Paragraph 0 of the article says .{100,150}…$/),
    });
    status = 404;
    expect((await user.ok("article", { url })).body).toContain("This is about foxes.");
    expect(requests).toEqual([url]);
  });

  test("is not a change of its item when a copy is saved", async () => {
    await user.add(newUrl());
    const { since } = await user.get();
    const before = await user.items();
    service.clock.advance(5);
    await work();
    expect((await user.get({ since })).status).toBe("2");
    expect(await user.items()).toEqual(before);
  });

  test("is not read again if it is opened, or kept by an app, meanwhile", async () => {
    const url = newUrl();
    await user.add(url);
    meanwhile = async () => {
      meanwhile = async () => {};
      await user.ok("article", { url, html: pageAbout("subscribers") });
    };
    await work();
    await work();
    expect((await user.ok("article", { url })).body).toContain("subscribers");
    expect(requests).toEqual([url]);
    expect(await entryOf(url)).toMatchObject({ state: "kept", excerpt: expect.stringContaining("subscribers") });
  });

  test("is read again after the next start if the service stops meanwhile", async () => {
    const url = newUrl();
    const { promise: stopped, resolve: goOn } = Promise.withResolvers<void>();
    const { clock } = service;
    let own: PageKeeper | undefined;
    const begin = (env: Record<string, string>) =>
      startTestService(
        { ...env, TEXT_ALLOWED_ORIGINS: servers[0]?.origin ?? "" },
        { clock, takeKeeper: (each) => (own = each) },
      );
    const first = await begin({});
    const owner = await first.newUser();
    await owner.add(url);
    meanwhile = () => stopped;
    await own?.round();
    await expect.poll(() => requests.length).toBe(1);
    await first.stop();
    meanwhile = async () => {};
    goOn();
    const { username, password } = owner.credentials;
    const again = new TestUser(await begin(first.env), username, password);
    expect(await entryOf(url, again)).toMatchObject({ state: "waiting", error: "" });
    await own?.round();
    await own?.finish();
    expect(await entryOf(url, again)).toMatchObject({ state: "kept" });
  });

  test("waits during maintenance", async () => {
    await user.add(newUrl());
    await service.operator.beginMaintenance({ text: "Back soon", since: service.clock.seconds() });
    service.clock.advance(10);
    await work();
    await service.operator.endMaintenance();
    expect(requests).toEqual([]);
    service.clock.advance(10);
    await work();
    expect(requests.length).toBe(1);
  });
});

describe("a page that cannot be read", () => {
  test("is tried five times within two days, then it has failed", async () => {
    const url = newUrl();
    status = 503;
    await user.add(url);
    const times: number[] = [];
    const start = service.clock.seconds();
    for (let hour = 0; hour <= 72; hour += 0.25) {
      const before = requests.length;
      await work();
      if (requests.length > before) times.push(service.clock.seconds() - start);
      service.clock.advance(900);
    }
    expect(times.length).toBe(5);
    expect(times.at(-1)).toBeLessThan(2 * day);
    const pauses = times.map((time, index) => time - (times[index - 1] ?? 0));
    expect(pauses).toEqual(pauses.toSorted((one, other) => one - other));
    expect(await entryOf(url)).toMatchObject({ state: "failed", error: "answers with status 503" });
  });

  test("is kept by a later try", async () => {
    const url = newUrl();
    status = 503;
    await user.add(url);
    await work();
    expect(await entryOf(url)).toMatchObject({ state: "waiting", error: "answers with status 503" });
    status = 200;
    service.clock.advance(600);
    await work();
    expect(await entryOf(url)).toMatchObject({ state: "kept", error: "" });
  });

  test.each([
    ["answers with status 404", 404, undefined],
    ["answers with status 410", 410, undefined],
    ["has no text", 200, "<html><body></body></html>"],
  ])("fails at once if it %s", async (error, answered, shown = html) => {
    [status, html] = [answered, shown];
    const url = newUrl();
    await user.add(url);
    await work();
    expect(await entryOf(url)).toMatchObject({ state: "failed", error, words: "", excerpt: "", image: "" });
  });

  test("fails at once if its address is private", async () => {
    const url = "http://192.168.1.1/router";
    await user.add(url);
    await work();
    expect(await entryOf(url)).toMatchObject({ state: "failed", error: "has a host whose address is not public" });
  });

  test("waits again with retry=1, which other pages do not", async () => {
    const [gone, other] = [newUrl(), newUrl(1)];
    await user.add(other);
    await work();
    status = 410;
    await user.add(gone);
    service.clock.advance(2);
    await work();
    expect((await kept()).count_failed).toBe("1");
    expect((await user.ok("kept", { retry: 1 })).body).toBe("200 OK");
    expect(await kept()).toMatchObject({ count_kept: "1", count_waiting: "1", count_failed: "0" });
    status = 200;
    service.clock.advance(2);
    await work();
    expect(await kept()).toMatchObject({ count_kept: "2", count_waiting: "0", count_failed: "0" });
    expect(requests).toEqual([other, gone, gone]);
  });
});

describe("keeping in the background", () => {
  test("reads one page of a site at a time, and the next one 2 s later", async () => {
    const urls = [newUrl(), newUrl(), newUrl()];
    await user.send({ new: urls.map((url) => ({ url })) });
    await work();
    expect(requests.length).toBe(1);
    service.clock.advance(1);
    await work();
    expect(requests.length).toBe(1);
    service.clock.advance(1);
    await work();
    expect(requests.length).toBe(2);
    service.clock.advance(2);
    await work();
    expect([most, requests.toSorted()]).toEqual([1, urls]);
  });

  test("reads pages of two sites at once, and no more", async () => {
    await user.send({ new: [newUrl(0), newUrl(1), newUrl(2)].map((url) => ({ url })) });
    const { promise: both, resolve } = Promise.withResolvers<void>();
    meanwhile = () => {
      if (atOnce >= 2) resolve();
      return both;
    };
    await work();
    expect([most, requests.length]).toEqual([2, 3]);
  });

  test("serves users in turn", async () => {
    const other = await service.newUser();
    const mine = [newUrl(), newUrl(), newUrl(), newUrl()];
    await user.send({ new: mine.map((url) => ({ url })) });
    await keeper.round();
    await keeper.finish();
    const theirs = newUrl();
    await other.add(theirs);
    service.clock.advance(2);
    await work();
    expect(requests.at(-1)).toBe(theirs);
  });

  test("counts nothing against rate limits", async () => {
    await user.add(newUrl());
    const { calls } = await service.findRecord(user);
    await work();
    expect((await service.findRecord(user)).calls).toBe(calls);
  });

  test("stops if the quota is full, without dropping the trash, while reading still works", async () => {
    const noise = () => Array.from({ length: 5000 }, () => Math.random().toString(36)).join(" ");
    const trashed = newUrl();
    await user.add(trashed);
    await user.ok("article", { url: trashed, html: `<article><h1>A</h1><p>${noise()}</p></article>` });
    await user.send({ delete: [{ url: trashed }] });
    let { articleBytes } = await service.findRecord(user);
    const opened: string[] = [];
    for (; articleBytes < 0.99e6; { articleBytes } = await service.findRecord(user)) {
      opened.push(newUrl(1));
      await user.add(opened.at(-1) ?? "");
      const text = `<article><h1>A</h1><p>${noise().slice(0, 1.4 * (1e6 - articleBytes))}</p></article>`;
      await user.ok("article", { url: opened.at(-1) ?? "", html: text });
    }
    const url = newUrl();
    await user.add(url);
    await work();
    expect(requests).toEqual([]);
    expect(await kept()).toMatchObject({ stopped: "quota_full", count_waiting: "1" });
    await user.send({ restore: [{ url: trashed }] });
    expect((await user.ok("article", { url: trashed })).body).toContain("<p>");
    await user.send({ delete: [{ url: trashed }] });
    await user.ok("trash", { purge: "all" });
    await work();
    expect(await entryOf(url)).toMatchObject({ state: "kept" });
  });

  test("ignores imported pages, and pages for which neither user nor administrator has asked", async () => {
    const [imported, fromFile, unwanted] = [newUrl(), newUrl(), newUrl()];
    await user.send({ new: [{ url: imported, time_added: service.clock.seconds() - 2 * day }] });
    const file = path.join(temporaryFolder(), "list.txt");
    writeFileSync(file, fromFile);
    await commandsFor(service).ok("import", file, "--user", user.credentials.username);
    await user.ok("kept", { auto: 0 });
    await user.add(unwanted);
    await work();
    expect([requests, (await kept()).list, (await kept()).auto]).toEqual([[], {}, "0"]);
    await user.ok("article", { url: unwanted });
    expect(await entryOf(unwanted)).toMatchObject({ state: "kept" });
    await user.ok("kept", { auto: 1 });
    const wanted = newUrl(1);
    await user.add(wanted);
    await work();
    expect(requests).toEqual([unwanted, wanted]);
  });
});

describe("the record of a page", () => {
  test("leaves with its item, and comes back with it", async () => {
    const [first, second] = [newUrl(), newUrl(1)];
    await user.send({ new: [{ url: first }, { url: second }] });
    await work();
    const before = await entryOf(first);
    await user.send({ delete: [{ url: first }] });
    expect(Object.keys((await kept()).list)).toEqual([toItemId(second)]);
    await work();
    expect((await kept()).count_kept).toBe("1");
    service.clock.advance(2 * day);
    await user.send({ restore: [{ url: first }] });
    await work();
    expect(await entryOf(first)).toEqual({ ...before, time_updated: expect.any(String) });
    expect(requests.length).toBe(2);
  });

  test("is filled for articles that were kept before, without reading their pages", async () => {
    const url = newUrl();
    await user.add(url);
    await work();
    const before = await entryOf(url);
    await user.send({ delete: [{ url }] });
    await work();
    await user.send({ restore: [{ url }] });
    await user.ok("kept", { auto: 0 });
    service.clock.advance(2 * day);
    await work();
    expect(await entryOf(url)).toEqual({ ...before, time_updated: expect.any(String) });
    expect(requests.length).toBe(1);
  });

  test("belongs to the new item after the page was purged and added again", async () => {
    const url = newUrl();
    await user.add(url);
    await work();
    await user.send({ delete: [{ url }] });
    await user.ok("trash", { purge: "all" });
    service.clock.advance(10);
    await user.add(url);
    expect((await kept()).list).toEqual({});
    html = pageAbout("hares");
    await work();
    expect(await entryOf(url)).toMatchObject({ state: "kept", excerpt: expect.stringContaining("hares") });
  });
});

describe("kept", () => {
  const names = ["count_kept", "count_waiting", "count_failed", "bytes"];

  /** A page of the list whose article is kept. */
  async function keep(topic = "foxes"): Promise<string> {
    const url = newUrl();
    await user.add(url);
    await user.ok("article", { url, html: pageAbout(topic) });
    return url;
  }

  test("of a new user has nothing", async () => {
    const { list, auto, quota, stopped, ...rest } = await kept();
    expect([list, auto, quota, stopped]).toEqual([{}, "1", "1000000", ""]);
    expect(names.map((name) => rest[name])).toEqual(["0", "0", "0", "0"]);
  });

  test("has the copies that article saved", async () => {
    const url = await keep();
    expect(await entryOf(url)).toMatchObject({ state: "kept", excerpt: expect.stringContaining("about foxes") });
    const { articleBytes } = await service.findRecord(user);
    expect(await kept()).toMatchObject({ count_kept: "1", bytes: String(articleBytes) });
    await user.ok("article", { url, html: pageAbout("hares") });
    expect(await kept()).toMatchObject({ count_kept: "1" });
    expect(await entryOf(url)).toMatchObject({ excerpt: expect.stringContaining("about hares") });
  });

  test("with since has every later change once, also of the same second, and status 2 without one", async () => {
    const first = await keep();
    const one = await kept();
    expect(one.status).toBe("1");
    const second = await keep();
    const two = await kept({ since: one.since });
    expect([two.status, Object.keys(two.list)]).toEqual(["1", [toItemId(second)]]);
    const three = await kept({ since: two.since });
    expect([three.status, three.list]).toEqual(["2", {}]);
    await user.ok("article", { url: first, html: pageAbout("owls") });
    expect(Object.keys((await kept({ since: three.since })).list)).toEqual([toItemId(first)]);
    expect((await user.call("kept", { since: service.clock.now() })).headers.get("x-error")).toBe(
      "kept: since is more than a day in the future; it must be a Unix time in seconds, not milliseconds",
    );
  });

  test("shows its pages newest change first, in parts that neither repeat nor skip one", async () => {
    const urls: string[] = [];
    for (let page = 0; page < 5; page++) {
      urls.unshift(await keep());
      service.clock.advance(1);
    }
    const ids: string[] = [];
    for (let page = 1; page <= 3; page++) {
      const { body } = await user.ok("kept", { count: 2, page });
      ids.push(...[...body.matchAll(/"item_id":"(\d+)"/g)].map(([, id]) => id ?? ""));
    }
    expect(ids).toEqual(urls.map(toItemId));
  });

  test("with a later page answers a since that misses nothing that changed during the walk", async () => {
    for (let page = 0; page < 3; page++) await keep();
    const first = await kept({ count: 2 });
    service.clock.advance(10);
    const late = await keep();
    service.clock.advance(10);
    const second = await kept({ count: 2, page: 2 });
    expect(Number(second.since)).toBeLessThanOrEqual(Number(first.since));
    expect(Object.keys((await kept({ since: second.since })).list)).toContain(toItemId(late));
  });

  test("answers XML", async () => {
    const url = await keep();
    const { body } = await user.ok("kept", { format: "xml" });
    expect(body).toContain(`<count_kept>1</count_kept>`);
    expect(body).toMatch(new RegExp(`<list><item><item_id>${toItemId(url)}</item_id><url>.*</url><state>kept</state>`));
  });

  test("keeps auto until it is changed", async () => {
    for (const auto of ["0", "1"]) {
      expect((await user.ok("kept", { auto })).body).toBe("200 OK");
      expect((await kept()).auto).toBe(auto);
    }
  });

  test("with auto or retry needs a sign-in that may change the list", async () => {
    const { password } = JSON.parse((await user.ok("app_passwords", { create: "Reader", scope: "read" })).body);
    const statusOf = async (parameters: Parameters) => (await user.call("kept", { password, ...parameters })).status;
    expect([await statusOf({}), await statusOf({ auto: 0 }), await statusOf({ retry: 1 })]).toEqual([200, 401, 401]);
  });

  test("of a user who was deleted is gone, and a later user with the same name has nothing", async () => {
    await keep("secrets");
    const { username, password } = user.credentials;
    await user.ok("delete_account", { confirm: username });
    expect(JSON.stringify(await service.records())).not.toContain("about secrets");
    user = await service.newUser(username);
    expect([(await kept()).list, (await kept()).count_kept, password]).toEqual([{}, "0", user.credentials.password]);
  });
});

test("KEEP_PAGES=opened saves only opened pages, unless the user turns auto on", async () => {
  const opened = await startTestService({ KEEP_PAGES: "opened" });
  const reader = await opened.newUser();
  expect((await kept({}, reader)).auto).toBe("0");
  await reader.ok("kept", { auto: 1 });
  expect((await kept({}, reader)).auto).toBe("1");
});

test("users whose site is busy, however many, do not delay other users", async () => {
  const others: TestUser[] = [];
  for (let i = 0; i < 55; i++) {
    others.push(await service.newUser());
    await others[i]?.add(newUrl(0));
  }
  service.clock.advance(10);
  const own = newUrl(1);
  await user.add(own);
  service.clock.advance(10);
  const { promise, resolve } = Promise.withResolvers<void>();
  meanwhile = () => (requests.at(-1)?.startsWith(String(servers[0]?.origin)) ? promise : Promise.resolve());
  await keeper.round();
  // The lists of users who are looked at are noted in the round in which they are.
  for (let round = 0; round < 4 && !requests.includes(own); round++) {
    service.clock.advance(1);
    await keeper.round();
  }
  await expect.poll(() => requests).toContain(own);
  resolve();
  await keeper.finish();
  expect(await entryOf(own)).toMatchObject({ state: "kept" });
  for (const other of others) await other.call("kept", { auto: 0 });
});
