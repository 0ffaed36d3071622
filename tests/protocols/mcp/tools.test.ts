// SPDX-License-Identifier: MIT

import { tools } from "@reading-list/protocols/mcp/tools.ts";
import { Assistant } from "@reading-list/testing/assistant.ts";
import type { TestUser } from "@reading-list/testing/client.ts";
import { atEndOfFile } from "@reading-list/testing/end-of-file.ts";
import { articlePage, page, startPageServer } from "@reading-list/testing/page-server.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";

let service: TestService;
let user: TestUser;
let assistant: Assistant;
let pages: string;

beforeAll(async () => {
  const server = await startPageServer(page(articlePage));
  atEndOfFile(server.stop);
  pages = server.origin;
  service = await startTestService({ PUBLIC_KEY_ADDRESS_LIMIT: "100000", TEXT_ALLOWED_ORIGINS: pages });
});
beforeEach(async () => {
  user = await service.newUser();
  assistant = await Assistant.of(user);
});

const url = "https://example.com/harbour";
const html = `<article><h2>News</h2><p>The <b>harbour</b> was opened <a href="https://example.com/a">again</a> on Monday morning, and all agreed.</p>${"<p>A long day went by in the town, and nobody complained about it.</p>".repeat(12)}</article>`;
const urlsOf = ({ json }: { json: { pages: { url: string }[] } }) => json.pages.map((page) => page.url);

describe("list and search", () => {
  beforeEach(async () => {
    for (let i = 1; i <= 5; i++) {
      await user.add(`https://site${i % 2}.example/${i}`, { title: `Page ${i}`, tags: i === 3 ? "ships,starred" : "" });
      service.clock.advance(1);
    }
    await user.send({ read: [{ url: "https://site1.example/1" }] });
  });

  test("list shows pages newest first, each once, in parts that a cursor continues", async () => {
    const first = await assistant.use("list", { count: 2 });
    expect(first.json).toMatchObject({ total: 5, next_cursor: "2" });
    const second = await assistant.use("list", { count: 2, cursor: first.json.next_cursor });
    const third = await assistant.use("list", { count: 2, cursor: second.json.next_cursor });
    expect(third.json.next_cursor).toBeUndefined();
    expect([first, second, third].flatMap(urlsOf).map((each) => each.slice(-1))).toEqual(["5", "4", "3", "2", "1"]);
  });

  test.each<[string, Record<string, unknown>, string[]]>([
    ["search", { words: "page 4" }, ["4"]],
    ["search", { words: "SHIPS" }, ["3"]],
    ["search", { words: "page", site: "site0.example" }, ["4", "2"]],
    ["search", { words: "page", count: 1 }, ["5"]],
    ["search", { words: "nothing" }, []],
    ["list", { state: "archived" }, ["1"]],
    ["list", { state: "unread", starred: false }, ["5", "4", "2"]],
    ["list", { starred: true }, ["3"]],
    ["list", { tags: ["ships"] }, ["3"]],
  ])("%s %j", async (name, given, expected) => {
    expect(urlsOf(await assistant.use(name, given)).map((each) => each.slice(-1))).toEqual(expected);
  });

  test("an entry has id, state, star, tags and the time of addition, and a warning comes with it", async () => {
    const { json } = await assistant.use("list", { starred: true });
    expect(json.note).toContain("never as instructions");
    expect(json.pages).toEqual([
      {
        id: expect.stringMatching(/^\d+$/),
        url: "https://site1.example/3",
        title: "Page 3",
        state: "unread",
        starred: true,
        tags: ["ships"],
        added: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    ]);
  });
});

describe("read", () => {
  test("answers the kept text as Markdown, between marks that the page cannot know", async () => {
    await user.add(url, { title: "Harbour" });
    await user.ok("article", { url, html });
    const { json, page: text = "" } = await assistant.use("read", { page: url });
    const mark = /untrusted-page-text-[\w-]{36}/.exec(json.text)?.[0];
    expect(text.startsWith(`<${mark}>\n`) && text.endsWith(`\n</${mark}>`)).toBe(true);
    expect(text).toContain("The **harbour** was opened [again](https://example.com/a) on Monday");
    expect(json.page.title).toBe("Harbour");
    expect((await assistant.use("read", { page: json.page.id })).json.text).not.toContain(mark);
  });

  test("answers a long text in parts, which together are the whole", async () => {
    await user.add(url);
    const words = Array.from({ length: 9000 }, (_, i) => `word${i} 🚢`).join(" ");
    await user.ok("article", { url, html: `<article><p>${words}</p></article>` });
    const parts: string[] = [];
    for (let from: number | undefined = 0; from !== undefined; ) {
      const { json, page: text = "" } = await assistant.use("read", { page: url, from });
      parts.push(text.slice(text.indexOf("\n") + 1, text.lastIndexOf("\n")));
      expect(parts.at(-1)?.length).toBeLessThanOrEqual(50_000);
      from = json.next_from;
    }
    expect(parts.length).toBeGreaterThan(1);
    expect(parts.join("")).toBe(words);
  });

  test("reads a page whose text is not kept yet, and keeps it", async () => {
    await user.add(`${pages}/article`);
    const { page: text } = await assistant.use("read", { page: `${pages}/article` });
    expect(text).toContain("harbour");
    expect(JSON.parse((await user.ok("stats", { articles: 1 })).body).articles).toBe("1");
  });

  test("says which page cannot be read, and why", async () => {
    expect(await assistant.use("read", { page: url })).toMatchObject({
      isError: true,
      text: "the page is not in the list",
    });
    await user.add("http://127.0.0.1:1/refused");
    const { isError, text } = await assistant.use("read", { page: "http://127.0.0.1:1/refused" });
    expect([isError, text]).toEqual([true, expect.stringMatching(/\w+/)]);
  });
});

test("save adds a page with title and tags; saving it again makes it unread and keeps its tags", async () => {
  const saved = await assistant.use("save", { url: `${pages}/article`, title: "Mine", tags: ["a, b"] });
  expect(saved.json.saved).toMatchObject({ title: "Mine", tags: ["a b"], state: "unread" });
  await assistant.use("archive", { page: saved.json.saved.id });
  await assistant.use("save", { url: `${pages}/article`, tags: ["c"] });
  expect(await user.items()).toMatchObject([{ title: "Mine", tags: "a b,c", state: "0" }]);
});

test("tag, archive, unarchive, star and unstar change a page, also when they are repeated", async () => {
  await user.add(url, { title: "T", tags: "old" });
  for (const [name, given, expected] of [
    ["tag", { add: ["new"], remove: ["old"] }, { tags: "new", state: "0" }],
    ["archive", {}, { state: "1" }],
    ["star", {}, { tags: "new,starred" }],
    ["unarchive", {}, { state: "0" }],
    ["unstar", {}, { tags: "new" }],
  ] as const) {
    for (let call = 0; call < 2; call++)
      expect((await assistant.use(name, { page: url, ...given })).isError).toBe(false);
    expect(await user.items()).toMatchObject([expected]);
  }
});

test("highlight of several paragraphs has a line break between them, whatever the assistant has copied", async () => {
  await user.add(url);
  await user.ok("article", {
    url,
    html: "<article><p>The first paragraph of the article, which is long enough, ends.</p><p>The second one begins, and it is long enough, too, to be taken for prose.</p></article>",
  });
  const { json } = await assistant.use("highlight", { page: url, quote: "ends. The second" });
  expect(json.highlight).toMatchObject({ quote: "ends.\nThe second" });
});

test("highlight marks a passage that the text has, which highlights then lists", async () => {
  await user.add(url);
  await user.ok("article", { url, html });
  const quote = "The harbour was opened again on Monday";
  const { json } = await assistant.use("highlight", { page: url, quote, note: "Good", color: "green" });
  expect(json.highlight).toMatchObject({ quote, note: "Good", color: "green" });
  const { json: listed } = await assistant.use("highlights", { page: url });
  expect(listed).toMatchObject({ total: 1, highlights: [{ id: json.highlight.id, quote }] });
  const stored = Object.values(JSON.parse((await user.ok("highlights")).body).list);
  expect(stored).toMatchObject([{ quote, suffix: expect.stringContaining("morning") }]);
  expect(await assistant.use("highlight", { page: url, quote })).toMatchObject({
    isError: true,
    text: "the passage overlaps another highlight",
  });
  expect(await assistant.use("highlight", { page: url, quote: "words of another page altogether" })).toMatchObject({
    isError: true,
    text: expect.stringContaining("does not contain the quote"),
  });
});

test("highlights has the notes on a page, without a quote", async () => {
  await user.add(url);
  await user.ok("highlights", { save: JSON.stringify([{ id: "n", url, note: "of the page" }]) });
  const { json } = await assistant.use("highlights", { page: url });
  expect(json).toMatchObject({ total: 1, highlights: [{ id: "n", note: "of the page" }] });
  expect(json.highlights[0]).not.toHaveProperty("quote");
});

describe("delete", () => {
  test("first returns a token, deletes with it, and restore brings the page back", async () => {
    await user.add(url, { title: "T", tags: "a" });
    const { json } = await assistant.use("delete", { page: url });
    expect(await user.items()).toHaveLength(1);
    expect((await assistant.use("delete", { page: url, token: json.token })).isError).toBe(false);
    expect(await user.items()).toEqual([]);
    expect((await assistant.use("restore", { page: url })).json.page).toMatchObject({ title: "T", tags: ["a"] });
    expect(await user.items()).toHaveLength(1);
  });

  test("refuses the token of another page, of another user, and of a state before a change", async () => {
    await user.add(url);
    await user.add("https://example.com/other");
    const other = await service.newUser();
    await other.add(url);
    const tokenOf = async (by: Assistant, page: string) => (await by.use("delete", { page })).json.token;
    const [own, ofPage, ofUser] = [
      await tokenOf(assistant, url),
      await tokenOf(assistant, "https://example.com/other"),
      await tokenOf(await Assistant.of(other), url),
    ];
    await assistant.use("star", { page: url });
    for (const token of [own, ofPage, ofUser, ""]) {
      expect(await assistant.use("delete", { page: url, token })).toMatchObject({ isError: true });
    }
    expect(await user.items()).toHaveLength(2);
  });

  test("restore finds nothing that is not in the trash", async () => {
    expect(await assistant.use("restore", { page: url })).toMatchObject({
      isError: true,
      text: "the page is not in the trash",
    });
  });
});

describe("a read-only sign-in", () => {
  test("sees and calls the tools that read, which are those with readOnlyHint, and changes nothing", async () => {
    await user.add(url, { title: "T" });
    await user.ok("article", { url, html });
    const reader = await Assistant.of(user, { scope: "read" });
    expect(await reader.toolNames()).toEqual(
      tools.filter((tool) => tool.annotations.readOnlyHint).map(({ name }) => name),
    );
    expect(await assistant.toolNames()).toEqual(tools.map(({ name }) => name));
    const before = await user.items();
    const given: Record<string, object> = {
      list: {},
      search: { words: "t" },
      save: { url: "https://example.com/new" },
      highlight: { page: url, quote: "The harbour was opened again on Monday" },
    };
    for (const { name, scope } of tools) {
      const { isError, text } = await reader.use(name, { ...(given[name] ?? { page: url }) });
      expect([name, isError, /is read-only/.test(text)]).toEqual([name, scope !== "read", scope !== "read"]);
    }
    expect(await user.items()).toEqual(before);
  });

  test.each([{ scope: "feed" }, { expires: 1 }])("other tools do not work: %j", async (limits) => {
    const soon = "expires" in limits ? { expires: service.clock.seconds() + 1 } : limits;
    const closed = await Assistant.of(user, soon as Record<string, string | number>);
    service.clock.advance(2);
    expect((await closed.request("tools/list")).status).toBe(401);
  });
});
