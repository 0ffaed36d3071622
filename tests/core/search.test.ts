// SPDX-License-Identifier: MIT

import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { toItemId } from "@reading-list/core/domain/item-id.ts";
import type { Snippet } from "@reading-list/core/ports/search.ts";
import { type ItemAnswer, newName, type Parameters, ServiceClient, TestUser } from "@reading-list/testing/client.ts";
import { temporaryFolder } from "@reading-list/testing/temporary-folder.ts";
import { startInProcess, startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, beforeEach, describe, expect, inject, test } from "vitest";

let service: TestService;
let user: TestUser;

beforeAll(async () => {
  service = await startTestService();
});
beforeEach(async () => {
  user = await service.newUser();
});

interface SearchAnswer {
  status: string;
  as_of: string;
  total: string;
  list: (ItemAnswer & Snippet)[];
}

const search = async (query: string, parameters: Parameters = {}, of = user): Promise<SearchAnswer> =>
  JSON.parse((await of.ok("search", { query, ...parameters })).body);
/** The titles of the found pages, in order. */
const titles = async (query: string, parameters: Parameters = {}, of = user) =>
  (await search(query, parameters, of)).list.map(({ title }) => title);

async function searchInReadeck({ baseUrl }: TestService, { credentials }: TestUser, words: string): Promise<Response> {
  const { username, password } = credentials;
  const signIn = { username, password, application: "test" };
  const json = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(signIn) };
  const { token } = JSON.parse(await (await fetch(`${baseUrl}/readeck/api/auth`, json)).text());
  const headers = { Authorization: `Bearer ${token}` };
  return fetch(`${baseUrl}/readeck/api/bookmarks?search=${encodeURIComponent(words)}`, { headers });
}

const urlOf = (title: string) => `https://pages.example/${encodeURIComponent(title)}`;

/** Keeps a text with a page of the list, as `article` does. */
async function keep(title: string, text: string, author?: string): Promise<void> {
  const record = await service.findRecord(user);
  const itemId = toItemId(urlOf(title));
  const timeAdded = (await user.items()).find(({ item_id: id }) => id === itemId)?.time_added;
  const views = { less: `<h1>${title}</h1><p>${text}</p>`, more: "" };
  const fields = { title, resolvedUrl: urlOf(title), nextUrl: undefined, loginFound: false, author };
  const article = { ...views, ...fields, keptAt: 0, timeAdded: Number(timeAdded) };
  await service.operator.articles.keep(record, itemId, article, 1e9);
}

const add = (title: string, fields: Parameters = {}) => user.add(urlOf(title), { title, ...fields });

async function save(title: string, text = "", fields: Parameters = {}): Promise<void> {
  await add(title, fields);
  if (text !== "") await keep(title, text);
}

const marked = ({ snippet, marks }: Snippet) => marks.map(([from, length]) => snippet.slice(from, from + length));

describe("words", () => {
  const texts = {
    road: "Die Straße nach München war gesperrt",
    tram: "STRASSENBAHN fährt wieder",
    city: "Łódź jest dużym miastem",
    coffee: "Café Müller serves crème brûlée",
    tokyo: "東京都は日本の首都である",
    kyoto: "京都の寺院では桜が満開",
    database: "ﾃﾞｰﾀﾍﾞｰｽの全文検索",
    beijing: "人工智能技术正在改变医疗",
    busan: "부산에서 열린 국제영화제",
    climate: "Climate change is real, and the climate warms",
    policy: "The change of climate policy",
    greek: "Ελλάδα και Αθήνα",
    hindi: "हिन्दी भाषा का इतिहास",
    mail: "It’s O'Reilly's e-mail about C++ & <b>Node.js</b>",
    mixed: "中文和English混排的文章",
    vietnam: "Việt Nam đất nước",
  };
  const cases: [query: string, found: (keyof typeof texts)[]][] = [
    ["strasse", ["road"]],
    ["STRAßE münchen", ["road"]],
    ["lodz", ["city"]],
    ["cafe brulee", ["coffee"]],
    ["東京", ["tokyo"]],
    ["京都", ["kyoto", "tokyo"]],
    ["首都", ["tokyo"]],
    ["桜", ["kyoto"]],
    ["データベース", ["database"]],
    ["文検", ["database"]],
    ["智能", ["beijing"]],
    ["영화", ["busan"]],
    ["climate", ["climate", "policy"]],
    ['"climate change"', ["climate"]],
    ['change -"climate change"', ["policy"]],
    ["climate -warms", ["policy"]],
    ["αθηνα", ["greek"]],
    ["हिन्दी", ["hindi"]],
    ["oreilly", []],
    ["o'reilly", ["mail"]],
    ["e-mail", ["mail"]],
    ["c++ node.js", ["mail"]],
    ["English混排", ["mixed"]],
    ["dat nuoc", ["vietnam"]],
    ['"', []],
    ['unknown OR AND NOT ( * ^ "', []],
    ["climate\0", []],
  ];

  test.each(cases)("%j finds %j", async (query, found) => {
    user = await readers();
    if (query.includes("\0")) {
      expect((await user.call("search", { query })).headers.get("x-error")).toMatch(/^search: query contains a NUL/);
      return;
    }
    const { list, total } = await search(query);
    expect(list.map(({ title }) => title).sort()).toEqual([...found].sort());
    expect(total).toBe(String(found.length));
    for (const page of list) expect(marked(page), page.title).not.toEqual([]);
  });

  let prepared: Promise<TestUser> | undefined;
  const readers = () => {
    prepared ??= (async () => {
      user = await service.newUser();
      for (const [title, text] of Object.entries(texts)) await save(title, text);
      return user;
    })();
    return prepared;
  };

  test("the last word may be a beginning with prefix=1, if it has three characters", async () => {
    user = await readers();
    expect(await titles("warm")).toEqual([]);
    expect(await titles("clim warm", { prefix: 1 })).toEqual([]);
    expect(await titles("climate warm", { prefix: 1 })).toEqual(["climate"]);
    expect(await titles("wa", { prefix: 1 })).toEqual([]);
    expect(await titles("-warms clim", { prefix: 1 })).toEqual(["policy"]);
  });

  test("a snippet is plain text around the words, with their places", async () => {
    await save("long", `${"word ".repeat(500)}a needle &amp; another NEEDLE, nothing else${" end".repeat(500)}`);
    const [page] = (await search("needle")).list;
    expect(page?.snippet).toMatch(/^…(word )+a needle & another NEEDLE, nothing else( end)+…$/);
    expect(page && marked(page)).toEqual(["needle", "NEEDLE"]);
    expect(page?.snippet.length).toBeLessThan(260);
  });
});

describe("what is searched", () => {
  test("title, URL, tags, author, highlights and notes, the title first", async () => {
    await save("about tags", "nothing", { tags: "quokka" });
    await save("text", "one quokka in a long text");
    await save("about highlights", "nothing");
    await user.ok("highlights", {
      save: JSON.stringify([{ id: "one", url: urlOf("about highlights"), quote: "a quokka", note: "cute" }]),
    });
    await add("a quokka");
    await add("author");
    await keep("author", "nothing", "Quokka Smith");
    await user.add("https://quokka.example/", { title: "site" });
    expect((await titles("quokka")).toSorted()).toEqual(
      ["a quokka", "about highlights", "about tags", "author", "site", "text"].toSorted(),
    );
    expect((await titles("quokka"))[0]).toBe("a quokka");
    expect(await titles("cute")).toEqual(["about highlights"]);
    const pageNote = { id: "two", url: urlOf("about tags"), note: "a capybara" };
    await user.ok("highlights", { save: JSON.stringify([pageNote]) });
    expect(await titles("capybara")).toEqual(["about tags"]);
  });

  test("pages with all words in their titles come first, however long their texts are, and each on one page", async () => {
    await save("quokka island", "nothing but other words ".repeat(300));
    await save("quokka", "island quokka island quokka");
    await user.add("https://quokka.example/island", { title: "short" });
    await save("text", "quokka island");
    const inTitle = ["quokka island"];
    for (const query of ["quokka island", "quokka island is:unread -wombat"]) {
      const all = await titles(query);
      expect([all.slice(0, 1), all.toSorted()]).toEqual([inTitle, [...inTitle, "quokka", "short", "text"].toSorted()]);
      const pages = [];
      for (const page of [1, 2, 3, 4, 5]) pages.push(...(await titles(query, { count: 1, page })));
      expect(pages).toEqual(all);
    }
    expect(await titles("quokka isl", { prefix: 1, count: 1 })).toEqual(inTitle);
  });

  test("a change is found by the next search: of title and tags, of the kept article, of a note", async () => {
    await save("page", "first");
    expect(await titles("first")).toEqual(["page"]);
    await keep("page", "second");
    expect([await titles("first"), await titles("second")]).toEqual([[], ["page"]]);
    await user.send({ update_title: [{ url: urlOf("page"), title: "renamed" }] });
    expect([await titles("page"), await titles("renamed second")]).toEqual([["renamed"], ["renamed"]]);
    const mark = { id: "one", url: urlOf("page"), quote: "second", note: "remember" };
    await user.ok("highlights", { save: JSON.stringify([mark]) });
    expect(await titles("remember")).toEqual(["renamed"]);
    await user.ok("highlights", { save: JSON.stringify([{ id: "one", note: "forget" }]) });
    expect([await titles("remember"), await titles("forget")]).toEqual([[], ["renamed"]]);
    await user.ok("highlights", { delete: JSON.stringify(["one"]) });
    expect(await titles("forget")).toEqual([]);
  });

  test("a deleted page is not found, and a restored one is, with its text", async () => {
    await save("page", "needle");
    expect(await titles("needle")).toEqual(["page"]);
    await user.send({ delete: [{ url: urlOf("page") }] });
    expect(await titles("needle")).toEqual([]);
    await user.send({ restore: [{ url: urlOf("page") }] });
    expect(await titles("needle")).toEqual(["page"]);
  });

  test("no user finds the pages of another one", async () => {
    await save("page", "needle");
    expect((await search("needle", {}, await service.newUser())).total).toBe("0");
  });

  test("as_of is the time of the call, and total is the number of all pages", async () => {
    for (const title of ["one", "two", "three"]) await save(title, "needle");
    const { as_of: asOf, total, list } = await search("needle", { count: 2, page: 2 });
    expect([total, list.length]).toEqual(["3", 1]);
    expect(Number(asOf)).toBeGreaterThanOrEqual(Math.floor(service.clock.now() / 1000));
  });
});

describe("filters", () => {
  beforeEach(async () => {
    await save("one", "needle", { tags: "Work,to read", time_added: Date.UTC(2020, 1, 29) / 1000 });
    await save("two", "needle", { tags: "starred", time_added: Date.UTC(2021, 0, 1) / 1000 });
    await user.add("https://www.sub.other.example/3", { title: "three needle" });
    await user.send({ read: [{ url: urlOf("one") }] });
  });

  test.each([
    ["tag:work", ["one"]],
    ['tag:"to read"', ["one"]],
    ["tag:read", []],
    ["-tag:work", ["three needle", "two"]],
    ["site:other.example", ["three needle"]],
    ["site:www.pages.example", ["one", "two"]],
    ["site:ther.example", []],
    ["is:unread", ["three needle", "two"]],
    ["is:archived", ["one"]],
    ["is:read", ["one"]],
    ["is:starred", ["two"]],
    ["-is:starred", ["one", "three needle"]],
    ["added:2020", ["one"]],
    ["added:2020-02-29", ["one"]],
    ["added:..2020-12", ["one"]],
    ["added:2020..2021-01-01", ["one", "two"]],
    ["added:2021-01-02..", ["three needle"]],
  ])("%s, with a word and alone", async (filter, found) => {
    expect((await titles(`needle ${filter}`)).sort()).toEqual(found);
    expect((await titles(filter)).sort()).toEqual(found);
  });

  test("newest is the order of the list", async () => {
    expect(await titles("needle", { sort: "newest" })).toEqual(["one", "three needle", "two"]);
  });

  test.each([
    ["is:new", "query has an unknown is: filter; use is:unread, is:read, is:archived or is:starred"],
    [
      "added:yesterday",
      "query has an unknown added: filter; use YYYY, YYYY-MM, YYYY-MM-DD, or two of them with .. between",
    ],
    [
      "added:2021-02-30",
      "query has an unknown added: filter; use YYYY, YYYY-MM, YYYY-MM-DD, or two of them with .. between",
    ],
    ["", "query is missing"],
    ["x".repeat(501), "query must be at most 500 characters"],
  ])("%.20s is 400", async (query, error) => {
    const { status, headers } = await user.call("search", { query });
    expect([status, headers.get("x-error")]).toEqual([400, `search: ${error}`]);
  });

  test("count is at most 100", async () => {
    const { status, headers } = await user.call("search", { query: "needle", count: 101 });
    expect([status, headers.get("x-error")]).toEqual([400, "search: count must be at most 100"]);
  });
});

describe("without query but with state", () => {
  const callByState = async (parameters: Parameters) => (await user.ok("search", parameters)).body;
  /** The titles in the order of the body: an object in JavaScript may have another one. */
  const titlesByState = async (parameters: Parameters) =>
    [...(await callByState(parameters)).matchAll(/"title":"([^"]*)"/g)].map(([, title]) => title);

  beforeEach(async () => {
    for (const title of ["one needle", "two", "three needle needle", "unread needle"]) await add(title);
    for (const title of ["three needle needle", "one needle", "two"])
      await user.send({ read: [{ url: urlOf(title) }] });
  });

  test("the items of the state are answered by item_id, with numbers", async () => {
    await user.send({ update_tags: [{ url: urlOf("unread needle"), tags: "a,b" }] });
    const [item] = (await user.items({ state: "unread", tags: "1" })) as [ItemAnswer];
    expect(JSON.parse(await callByState({ state: "unread", count: 30, page: 1 }))).toEqual({
      status: 1,
      total: 1,
      list: { [item.item_id]: item },
    });
    expect(await callByState({ state: "unread", search: "nowhere" })).toBe('{"status":1,"total":0,"list":{}}');
    expect(await callByState({ state: "unread", search: "nowhere", format: "xml" })).toContain(
      "<response><status>1</status><total>0</total><list/></response>",
    );
  });

  test.each<[parameters: Parameters, found: string[]]>([
    [{}, ["two", "one needle", "three needle needle"]],
    [{ count: 2 }, ["two", "one needle"]],
    [{ count: 2, page: 2 }, ["three needle needle"]],
    [{ sort: "best" }, ["two", "one needle", "three needle needle"]],
    [{ sort: "oldest" }, ["two", "one needle", "three needle needle"]],
    [{ search: "needle" }, ["one needle", "three needle needle"]],
    [{ search: "needle", sort: "best" }, ["three needle needle", "one needle"]],
    [{ search: "need", prefix: 1 }, ["one needle", "three needle needle"]],
    [{ search: "needle -three" }, ["one needle"]],
    [{ search: "!" }, []],
    [{ query: "", search: "needle" }, ["one needle", "three needle needle"]],
  ])("%j finds %j among read pages, newest first", async (parameters, found) => {
    expect(await titlesByState({ state: "read", ...parameters })).toEqual(found);
  });

  test("a deleted page is not answered", async () => {
    await user.send({ delete: [{ url: urlOf("two") }] });
    expect(await titlesByState({ state: "read" })).toEqual(["one needle", "three needle needle"]);
  });

  test("query with state is a search among these pages", async () => {
    const found = await search("needle", { state: "unread", search: "nowhere" });
    expect([found.total, found.list.map(({ title }) => title)]).toEqual(["1", ["unread needle"]]);
  });

  test.each<[error: string, parameters: Parameters]>([
    ["query is missing", {}],
    ["query is missing", { search: "needle", sort: "newest" }],
    ["state must be read or unread", { state: "archived" }],
    ["search must be at most 500 characters", { state: "read", search: "x".repeat(501) }],
    [
      "search has an unknown is: filter; use is:unread, is:read, is:archived or is:starred",
      { state: "read", search: "is:new" },
    ],
    ["sort must be best or newest", { state: "read", query: "needle", sort: "oldest" }],
  ])("a mistake is 400: %s", async (error, parameters) => {
    const { status, headers } = await user.call("search", parameters);
    expect([status, headers.get("x-error")]).toEqual([400, `search: ${error}`]);
  });
});

test("a search that does not wait for its index says so, and a later one has all", async () => {
  const impatient = await startTestService({}, { searchTimes: { waitMs: 0 } });
  const reader = await impatient.newUser();
  await reader.add(urlOf("needle"), { title: "needle" });
  const ofIndex = "search: the list is still being indexed, so pages may be missing; search again later";
  const notice = `search: only the first 30 terms count; ${ofIndex}`;
  const words = Array.from({ length: 31 }, (_, i) => `w${i}`).join(" ");
  const { body, headers } = await reader.ok("search", { query: words });
  expect(JSON.parse(body)).toMatchObject({ as_of: "0", partial: "1" });
  expect(headers.get("x-notice")).toBe(notice);
  const other = await impatient.newUser();
  await other.add(urlOf("needle"), { title: "needle" });
  expect((await searchInReadeck(impatient, other, "needle")).headers.get("x-notice")).toBe(ofIndex);
  const found = async () => {
    const answer = await reader.ok("search", { query: "needle" });
    const { total, partial } = JSON.parse(answer.body);
    return [total, partial, answer.headers.get("x-notice")];
  };
  await expect.poll(found, { timeout: 60_000 }).toEqual(["1", undefined, null]);
});

describe("a long search", () => {
  const numbers = (count: number) => Array.from({ length: count }, (_, i) => `w${i}`);
  const notice = async (query: string) => (await user.ok("search", { query })).headers.get("x-notice");

  test("has its first 30 terms, each once, and the first 30 words of a phrase, and says so", async () => {
    await save("words", numbers(40).join(" "));
    expect(await titles(`${"w1 ".repeat(100)} w2`)).toEqual(["words"]);
    expect(await notice(`${"w1 ".repeat(60)}W1 w2`)).toBeNull();
    const terms = `${numbers(30).join(" ")} missing`;
    expect(await titles(terms)).toEqual(["words"]);
    expect(await notice(terms)).toBe("search: only the first 30 terms count");
    const phrase = `"${numbers(30).join(" ")} missing"`;
    expect(await titles(phrase)).toEqual(["words"]);
    expect(await notice(phrase)).toBe("search: only the first 30 words of a phrase count");
    expect(await notice(`"${numbers(30).join(" ")}"`)).toBeNull();
    expect(await titles(`${numbers(29).join(" ")} missing`)).toEqual([]);
  });

  test("of a script without spaces has its first 30 characters", async () => {
    const run = Array.from({ length: 35 }, (_, i) => String.fromCodePoint(0x4e00 + i)).join("");
    await save("run", run.slice(0, 30));
    expect(await titles(run)).toEqual(["run"]);
    expect(await titles(run.slice(0, 29) + run.slice(30, 31))).toEqual([]);
    expect(await notice(run)).toBe("search: only the first 30 words of a phrase count");
  });

  test("says so in the APIs of other services, too", async () => {
    const found = await searchInReadeck(service, user, numbers(31).join(" "));
    expect([found.status, found.headers.get("x-notice")]).toEqual([200, "search: only the first 30 terms count"]);
  });
});

test("a search whose evaluation takes too long is 503 busy, and another user's is answered meanwhile", async () => {
  const limited = await startTestService({}, { searchTimes: { waitMs: 50_000, evaluationMs: 1000 } });
  const [hostile, other] = [await limited.newUser(), await limited.newUser()];
  await other.add(urlOf("needle"), { title: "needle" });
  expect(await titles("needle", {}, other)).toEqual(["needle"]);
  const text = "a b c d e ".repeat(400_000);
  const url = urlOf("letters");
  await hostile.add(url, { title: "letters" });
  const record = await limited.operator.findUser(hostile.credentials.username);
  if (!record) throw new Error("there is no user");
  const [item] = await hostile.items();
  const views = {
    less: `<p>${text}</p>`,
    more: "",
    title: "",
    resolvedUrl: url,
    nextUrl: undefined,
    loginFound: false,
  };
  const article = { ...views, keptAt: 0, timeAdded: Number(item?.time_added) };
  await limited.operator.articles.keep(record, toItemId(url), article, 1e9);
  expect(await titles("letters", {}, hostile)).toEqual(["letters"]);
  const phrases = Array.from(
    { length: 20 },
    (_, i) =>
      `"${"a b c d e "
        .repeat(3)
        .split(" ")
        .slice(i % 5, i + 2)
        .join(" ")}"`,
  );
  const long = hostile.call("search", { query: phrases.join(" ") });
  const first = await Promise.race([long, titles("needle", {}, other)]);
  expect(first).toEqual(["needle"]);
  const { status, headers } = await long;
  expect([status, headers.get("x-error-code")]).toEqual([503, "busy"]);
  expect(headers.get("retry-after")).toBe("1");
  expect(await titles("letters", {}, hostile)).toEqual(["letters"]);
});

test("XML has the marks as elements", async () => {
  await save("page & more", "a needle");
  const { body } = await user.ok("search", { query: "needle", format: "xml" });
  expect(body).toContain("<title>page &amp; more</title>");
  expect(body).toMatch(/<marks><mark><from>\d+<\/from><length>6<\/length><\/mark><\/marks>/);
});

describe.skipIf(inject("isOnDynamodb"))("the file of an index", () => {
  let folder: string;
  let account: TestUser["credentials"];
  let stop: () => Promise<void>;

  const indexFiles = () => readdirSync(path.join(folder, "search")).map((name) => path.join(folder, "search", name));
  const hasByte = (word: string) => indexFiles().some((file) => readFileSync(file, "latin1").includes(word));

  /** Starts the service on the folder, and signs the user in. */
  async function start(): Promise<void> {
    const started = await startInProcess({ DATA_DIR: folder, USER_LIMIT: "1000" });
    stop = started.stop;
    user = new TestUser(new ServiceClient(started), account.username, account.password);
  }
  beforeEach(async () => {
    folder = temporaryFolder();
    account = { username: newName(), password: "secret" };
    await start();
    await user.ok("signup");
  });

  test("has no word of a deleted page after the next sweep, in no byte", async () => {
    const words = Array.from({ length: 300 }, (_, number) => `zyzzyva${number}`);
    await user.send({ new: words.map((word) => ({ url: urlOf(word), title: word })) });
    await add("staying");
    expect((await search("zyzzyva7")).total).toBe("1");
    await stop();
    expect([hasByte("zyzzyva"), hasByte("staying")]).toEqual([true, true]);
    await start();
    await user.send({ delete: words.map((word) => ({ url: urlOf(word) })) });
    await stop();
    await start();
    await expect.poll(() => hasByte("zyzzyva"), { timeout: 60_000 }).toBe(false);
    expect(await titles("staying")).toEqual(["staying"]);
  });

  test("that was lost, or damaged, is rebuilt", async () => {
    await add("needle");
    expect(await titles("needle")).toEqual(["needle"]);
    await stop();
    for (const file of indexFiles()) rmSync(file);
    await start();
    expect(await titles("needle")).toEqual(["needle"]);
    await stop();
    for (const file of indexFiles()) writeFileSync(file, "no database at all");
    await start();
    await expect.poll(async () => (await user.call("search", { query: "needle" })).status).toBe(200);
    expect(await titles("needle")).toEqual(["needle"]);
  });

  test.each([
    ["a state that is no JSON", "UPDATE state SET value = '{' WHERE id = 1"],
    [
      "a state without its time",
      'UPDATE state SET value = \'{"username":"a","articles":"","revision":1}\' WHERE id = 1',
    ],
    ["no table of states", "DROP TABLE state"],
    ["no table of pages", "DROP TABLE pages"],
    ["no table of texts", "DROP TABLE texts"],
    ["texts whose structure is lost", "DELETE FROM texts_data WHERE id < 100"],
    ["pages without one of their columns", "ALTER TABLE pages DROP COLUMN change_key"],
  ])("that has %s is rebuilt", async (_, sql) => {
    await add("needle");
    expect(await titles("needle")).toEqual(["needle"]);
    await stop();
    const file = indexFiles().find((name) => name.endsWith(".db")) ?? "";
    const database = new DatabaseSync(file, { defensive: false });
    database.exec(`PRAGMA writable_schema = ON; ${sql}`);
    database.close();
    await start();
    const status = async () => (await user.call("search", { query: "needle", sort: "newest" })).status;
    await expect.poll(status, { timeout: 60_000 }).toBe(200);
    await add("needle two");
    await expect.poll(status, { timeout: 60_000 }).toBe(200);
    expect(await titles("needle", { sort: "newest" })).toEqual(["needle two", "needle"]);
  });

  test("of a restored database is rebuilt", async () => {
    await add("one");
    await stop();
    const copy = temporaryFolder();
    cpSync(folder, copy, { recursive: true });
    await start();
    await add("two");
    expect(await titles("two")).toEqual(["two"]);
    await stop();
    cpSync(path.join(folder, "search"), path.join(copy, "search"), { recursive: true });
    folder = copy;
    await start();
    expect([await titles("two"), await titles("one")]).toEqual([[], ["one"]]);
  });

  test("goes with its user", async () => {
    await add("needle");
    expect(await titles("needle")).toEqual(["needle"]);
    await user.ok("delete_account", { confirm: account.username });
    await stop();
    await start();
    await expect.poll(indexFiles, { timeout: 60_000 }).toEqual([]);
  });
});
