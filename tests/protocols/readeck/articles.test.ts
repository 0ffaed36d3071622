// SPDX-License-Identifier: MIT

import type { TestUser } from "@reading-list/testing/client.ts";
import { atEndOfFile } from "@reading-list/testing/end-of-file.ts";
import { prose, startPageServer } from "@reading-list/testing/page-server.ts";
import type { ReadeckDevice } from "@reading-list/testing/readeck-device.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { newReadeckUser } from "./user.ts";

let service: TestService;
let user: TestUser;
let device: ReadeckDevice;
let pages: string;
/** The pages that were fetched. */
let fetched: string[] = [];

const pageOf = (title: string, text: string) =>
  `<html lang="en"><head><title>${title}</title></head><body><article>${text}</article></body></html>`;
const shown: Record<string, string> = {
  "/a": pageOf("Foxes & co", prose),
  "/b": pageOf("Bees", prose.replaceAll("Paragraph", "Passage")),
  "/empty": pageOf("Nothing", ""),
};

beforeAll(async () => {
  const server = await startPageServer(({ url = "" }, response) => {
    fetched.push(url);
    const body = shown[url.split("?", 1)[0] ?? ""];
    response.writeHead(body ? 200 : 404, { "content-type": "text/html" }).end(body);
  });
  atEndOfFile(server.stop);
  pages = server.origin;
  service = await startTestService({ PUBLIC_KEY_ADDRESS_LIMIT: "100000", TEXT_ALLOWED_ORIGINS: pages });
});
beforeEach(async () => {
  ({ user, device } = await newReadeckUser(service));
  fetched = [];
});

async function post(path: string, fields: Record<string, unknown> = {}): Promise<string> {
  const { status, headers } = await device.call("POST", "bookmarks", { url: pages + path, ...fields });
  expect(status).toBe(202);
  return headers.get("bookmark-id") ?? "";
}

test("POST saves the article at once, and uses its title if the call has none", async () => {
  const [first, second] = [await post("/a"), await post("/b", { title: "Mine" })];
  expect((await device.bookmarks("sort=created")).map(({ title }) => title).sort()).toEqual(["Foxes & co", "Mine"]);
  fetched = [];
  const [a, b] = await Promise.all([first, second].map((id) => device.call("GET", `bookmarks/${id}/article`)));
  expect([a?.body, b?.body]).toEqual([expect.stringContaining("Paragraph 3"), expect.stringContaining("Passage 3")]);
  expect(a?.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(fetched).toEqual([]);
});

test("POST does not wait for a slow page, which gets its title once it has been read", async () => {
  let answer = () => {};
  const asked = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const server = await startPageServer(async (_, response) => {
    await asked;
    response.writeHead(200, { "content-type": "text/html" }).end(shown["/a"]);
  });
  onTestFinished(server.stop);
  const hurried = await startTestService(
    { PUBLIC_KEY_ADDRESS_LIMIT: "100000", TEXT_ALLOWED_ORIGINS: server.origin },
    { pageLimits: { deadlineMs: 50_000, articleWaitMs: 1 } },
  );
  const { device: phone } = await newReadeckUser(hurried);
  const url = `${server.origin}/slow`;
  expect((await phone.call("POST", "bookmarks", { url })).status).toBe(202);
  expect(await phone.bookmarks()).toMatchObject([{ title: url }]);
  answer();
  await expect.poll(async () => (await phone.bookmarks())[0]?.title, { timeout: 60_000 }).toBe("Foxes & co");
});

test("POST keeps the HTML that the client sends for the page, without its scripts", async () => {
  const url = `${pages}/private`;
  const body = new FormData();
  body.set("url", url);
  body.set("feature_find_main", "false");
  const head = (of: string) => JSON.stringify({ url: of, headers: { "content-type": "text/html; charset=utf-8" } });
  for (const [of, text] of [
    ["http://other.example/", "Other"],
    [url, `${prose}<script>alert(1)</script>`],
  ]) {
    body.append("resource", new Blob([`${head(of ?? "")}\n${text}`]), "blob");
  }
  const { headers } = await device.send("POST", "bookmarks/", { body });
  const answer = await device.call("GET", `bookmarks/${headers.get("bookmark-id")}/article`);
  expect(answer.body).toContain("Paragraph 3");
  expect(answer.body).not.toMatch(/script|Other/);
  expect(fetched).toEqual([]);
});

test.each([
  ["the page", "/private", true],
  ["another page", "/other", false],
])("POST keeps the HTML of a part whose Location is %s: %s, %s", async (_, location, isKept) => {
  const lines = [
    "--XxBb",
    'Content-Disposition: form-data; name="url"',
    "",
    `${pages}/private`,
    "--XxBb",
    'Content-Disposition: form-data; name="resource"; filename="_"',
    `Location: ${pages}${location}`,
    "Content-Type: text/html",
    "",
    prose,
    "--XxBb--",
    "",
  ];
  const headers = { "content-type": "multipart/form-data; boundary=XxBb" };
  const saved = await device.send("POST", "bookmarks", { headers, body: lines.join("\r\n") });
  const answer = await device.call("GET", `bookmarks/${saved.headers.get("bookmark-id")}/article`);
  expect([answer.status, answer.body.includes("Paragraph 3")]).toEqual([isKept ? 200 : 404, isKept]);
});

test("POST saves the HTML of the field html instead of the page", async () => {
  const html = `<p>${"Only the feed has these words. ".repeat(20)}</p>`;
  const id = await post("/a", { html, title: "From a feed" });
  expect((await device.call("GET", `bookmarks/${id}/article`)).body).toContain("Only the feed has these words");
  expect([await device.bookmarks(), fetched]).toMatchObject([[{ title: "From a feed" }], []]);
});

test("POST keeps a long HTML of a multipart field whole", async () => {
  // A busy machine may take longer than the 5 s that the call waits by default.
  const patient = await startTestService(
    { PUBLIC_KEY_ADDRESS_LIMIT: "100000", TEXT_ALLOWED_ORIGINS: pages },
    { pageLimits: { deadlineMs: 50_000, articleWaitMs: 60_000 } },
  );
  const { device: phone } = await newReadeckUser(patient);
  const body = new FormData();
  body.set("url", `${pages}/long`);
  body.set("html", `<!-- ${"x".repeat(1_200_000)} -->${prose}`);
  const { headers } = await phone.send("POST", "bookmarks", { body });
  const answer = await phone.call("GET", `bookmarks/${headers.get("bookmark-id")}/article`);
  expect([answer.body, fetched]).toEqual([expect.stringContaining("Paragraph 3"), []]);
});

test("an article that was not kept yet is read when it is asked for", async () => {
  await user.add(`${pages}/a?late`);
  const [bookmark] = await device.bookmarks();
  const read = async () => (await device.call("GET", `bookmarks/${bookmark?.id}/article`)).body;
  expect(await read()).toContain("Paragraph 3");
  expect(new Set(fetched.splice(0))).toEqual(new Set(["/a?late"]));
  expect(await read()).toContain("Paragraph 3");
  expect(fetched).toEqual([]);
});

test("an article that a browser opens as a page runs nothing", async () => {
  const { headers } = await device.call("GET", `bookmarks/${await post("/a")}/article`);
  expect(headers.get("content-security-policy")).toContain("sandbox; default-src 'none'");
  expect(headers.get("x-content-type-options")).toBe("nosniff");
});

test("the article of a page without text is a link to it, and a page that cannot be fetched has none", async () => {
  const [empty, missing] = [await post("/empty"), await post("/missing")];
  expect((await device.call("GET", `bookmarks/${empty}/article`)).body).toContain(`<a href="${pages}/empty">`);
  expect((await device.call("GET", `bookmarks/${missing}/article`)).status).toBe(404);
});

test("article.md is the article with its title, as Markdown", async () => {
  const answer = await device.call("GET", `bookmarks/${await post("/a")}/article.md`);
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/markdown; charset=utf-8"]);
  expect(answer.body).toMatch(/^# Foxes & co\n\n[^<]*Paragraph 3[^<]*$/s);
});

test("a bookmark has the metadata of its saved copy; a listing, which reads no articles, does not", async () => {
  const html = shown["/a"]?.replace(
    "<head>",
    '<head><meta name="author" content="Ann"><meta property="article:published_time" content="2026-05-01T10:00:00Z">',
  );
  const id = await post("/a?known", { html });
  const info = (await device.call("GET", `bookmarks/${id}`)).json() as unknown as Record<string, unknown>;
  expect(info).toMatchObject({ authors: ["Ann"], published: "2026-05-01T10:00:00Z", word_count: expect.any(Number) });
  expect([Number(info.word_count) > 50, Number(info.reading_time) > 0]).toEqual([true, true]);
  const [listed] = (await device.bookmarks()) as unknown as Record<string, unknown>[];
  expect(listed).toMatchObject({ authors: [], word_count: 0, reading_time: 0 });
  expect(listed).not.toHaveProperty("published");
});

test("article.epub is a book of the article", async () => {
  const answer = await device.call("GET", `bookmarks/${await post("/a")}/article.epub`);
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/epub+zip"]);
  expect(answer.body.slice(0, 60)).toContain("mimetypeapplication/epub+zip");
  expect((await device.call("GET", `bookmarks/${await post("/missing")}/article.epub`)).status).toBe(404);
});

test("POST sync returns the bookmarks and articles of ids, one part for each", async () => {
  const [a, b, missing] = [await post("/a"), await post("/b"), await post("/missing")];
  const wanted = { id: [b, a, missing, "99", "x"], with_json: true, with_html: true, with_markdown: true };
  const { body, headers } = await device.call("POST", "bookmarks/sync", wanted);
  const [, boundary] = /^multipart\/mixed; boundary=(\S+)$/.exec(headers.get("content-type") ?? "") ?? [];
  expect(body.endsWith(`--${boundary}--\r\n`)).toBe(true);
  const parts = body.split(`--${boundary}\r\n`).slice(1);
  const [ids, types] = ["Bookmark-Id", "Type"].map((name) =>
    parts.map((part) => new RegExp(`^${name}: (.*)\r$`, "m").exec(part)?.[1]),
  );
  expect(ids).toEqual([b, b, b, a, a, a, missing]);
  expect(types).toEqual([..."json html markdown json html markdown json".split(" ")]);
  expect(parts[1]).toContain("Passage 3");
  expect(JSON.parse(parts[3]?.split("\r\n\r\n")[1] ?? "")).toEqual((await device.bookmarks(`id=${a}`))[0]);
});

test("POST sync leaves out articles that do not fit into its bytes, and a further call has them", async () => {
  const html = pageOf("Long", `<h1>Long</h1><p>${"A sentence, as it is in such texts. ".repeat(30_000)}</p>`);
  const id: string[] = [];
  for (let page = 0; page < 8; page++) id.push(await post(`/long-${page}`, { html }));
  const partsOf = async (id: string[]) =>
    (await device.call("POST", "bookmarks/sync", { id, with_json: false, with_html: true })).body.match(
      /^Type: html/gm,
    );
  const first = await partsOf(id);
  expect(first?.length).toBeGreaterThan(1);
  expect(first?.length).toBeLessThan(8);
  expect(await partsOf(id.slice(-2))).toHaveLength(2);
});

test("POST sync without articles fetches none", async () => {
  await user.add(`${pages}/a?never`);
  const [bookmark] = await device.bookmarks();
  const { body } = await device.call("POST", "bookmarks/sync", { id: [bookmark?.id], with_json: true });
  expect(body.match(/^Type: .*\r$/gm)).toEqual(["Type: json\r"]);
  expect(fetched).toEqual([]);
});
