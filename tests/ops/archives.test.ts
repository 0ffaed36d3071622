// SPDX-License-Identifier: MIT

import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { viewPage } from "@reading-list/article/view/text-view.ts";
import { toItemId } from "@reading-list/core/domain/item-id.ts";
import type { KeptArticle } from "@reading-list/core/domain/kept-article.ts";
import type { TestUser } from "@reading-list/testing/client.ts";
import { commandsFor, runCommand } from "@reading-list/testing/command-line.ts";
import { prose } from "@reading-list/testing/page-server.ts";
import { temporaryFolder } from "@reading-list/testing/temporary-folder.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { unzipSync, zipSync } from "fflate";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";

const urls = ["https://one.example/a?b=1&c=2", "https://two.example/", "https://three.example/x"];
/** A page with all that a view keeps. */
const page = `<!doctype html><html lang="ar" dir="rtl"><head><title>A "title" &lt;b&gt; &amp; more</title>
<meta name="author" content="Ann"><meta property="article:published_time" content="2026-05-01T10:00:00Z">
<meta property="og:image" content="https://one.example/preview.png"></head><body><nav><a href="/">Home</a></nav><article>
<p>A claim<a href="#note" title="A &quot;note&quot;">1</a> of ünï😀, </script> and &lt;/body&gt;.</p>${prose}
<figure><img src="/a.png?x=1&amp;y=2" alt="A > B"><figcaption>Caption</figcaption></figure>
<pre>if (a &lt; b) {
  return  "x";
}</pre><table><tr><td colspan="2">1</td></tr></table>
<h2>Notes</h2><p id="note">The note that belongs to the claim above.</p></article></body></html>`;

const folder = temporaryFolder();

const fileOf = (files: Record<string, Uint8Array>) => {
  const name = path.join(folder, `${crypto.randomUUID()}.zip`);
  writeFileSync(name, zipSync(files));
  return name;
};

let service: TestService;
let commands: ReturnType<typeof commandsFor>;
/** The archive of a user with three articles, and the articles. */
let archive: string;
let originals: (KeptArticle | undefined)[];
/** Imports it. */
let reader: TestUser;

const ownerOf = async (user: TestUser) => {
  const record = await service.operator.findUser(user.username);
  if (!record) throw new Error("there is no such user");
  return record;
};
const articlesOf = async (user: TestUser) => {
  const owner = await ownerOf(user);
  return Promise.all(urls.map((url) => service.operator.articles.find(owner, toItemId(url))));
};

/** Saves a page, and keeps its article. */
async function keep(user: TestUser, url: string, html: string, keptAt: number): Promise<void> {
  await user.add(url);
  const itemId = toItemId(url);
  const { timeAdded = 0 } = (await service.operator.items.find(user.username, [itemId])).get(itemId) ?? {};
  const { html: less, ...view } = viewPage(html, url, { mode: "less", images: true });
  const { html: more } = viewPage(html, url, { mode: "more", images: true });
  const article = { ...view, less, more, resolvedUrl: url, keptAt, timeAdded };
  await service.operator.articles.keep(await ownerOf(user), itemId, article, 1e9);
}

const importFile = (file: string, ...options: string[]) =>
  commands.run("import", file, "--user", reader.username, ...options);

beforeAll(async () => {
  service = await startTestService();
  commands = commandsFor(service);
  const writer = await service.newUser();
  for (const url of urls) await keep(writer, url, page, 1_700_000_000);
  archive = path.join(folder, "three.zip");
  await commands.ok("export", writer.username, "--format", "archive", "--output", archive);
  originals = await articlesOf(writer);
  // The items of an import have other times.
  service.clock.advance(60);
});
beforeEach(async () => {
  reader = await service.newUser();
});

describe("an import of an archive", () => {
  test("restores list and articles as they were, and a second import changes nothing", async () => {
    const { code, out } = await importFile(archive);
    expect([code, out]).toEqual([0, expect.stringMatching(/: 3 new, .*\nSaved copies: 3 restored, 0 existing\.\n$/)]);
    const restored = await articlesOf(reader);
    const items = new Map((await reader.items()).map(({ url, time_added }) => [url, Number(time_added)]));
    const expected = originals.map((article, index) => ({ ...article, timeAdded: items.get(urls[index] ?? "") }));
    expect(restored).toEqual(expected);
    expect(restored[0]).toMatchObject({ author: "Ann", publishedAt: "2026-05-01T10:00:00Z" });
    expect(restored[0]?.less).toMatch(/<div dir="rtl" lang="ar">[\s\S]*href="#text-note"[\s\S]*id="text-note"/);
    const { headers } = await reader.ok("article", { url: urls[0] ?? "" });
    expect(headers.get("x-kept")).toBe(String(originals[0]?.keptAt));

    expect((await importFile(archive)).out).toContain("Saved copies: 0 restored, 3 existing.");
    const { articles } = (await service.operator.findUser(reader.username)) ?? {};
    expect(articles).toBe(3);
  });

  test("keeps a newer article of the list", async () => {
    await keep(reader, urls[0] ?? "", page.replace("A claim", "A newer claim"), 1_700_000_001);
    expect((await importFile(archive)).out).toContain("Saved copies: 2 restored, 1 existing.");
    expect((await articlesOf(reader))[0]?.less).toContain("A newer claim");
  });

  test("imports the list, and names the articles for which the quota has no room", async () => {
    const env = { ...service.env, ARTICLE_QUOTA_MB: "0" };
    const { code, out } = await runCommand(["import", archive, "--user", reader.username], env);
    expect(code).toBe(3);
    expect(out).toMatch(
      /: 3 new, [\s\S]*Rejected 3 articles: the quota of saved copies \(ARTICLE_QUOTA_MB\) is used up\.\n$/,
    );
    expect(await articlesOf(reader)).toEqual([undefined, undefined, undefined]);
  });

  const [url = ""] = urls;
  const name = `articles/${toItemId(url)}.html`;
  /** The files of the archive with only the first article. */
  let files: Record<string, Uint8Array>;

  beforeAll(() => {
    const { "list.jsonl": list = new Uint8Array(), [name]: file = new Uint8Array() } = unzipSync(readFileSync(archive));
    files = { "list.jsonl": list, [name]: file };
  });

  const changed = (change: (text: string) => string) =>
    fileOf({ ...files, [name]: Buffer.from(change(Buffer.from(files[name] ?? "").toString())) });
  const article = async () => (await articlesOf(reader))[0];

  test("that someone has changed adds no script, handler, or address with another scheme", async () => {
    const evil = `<img src="x" onerror="x()"><a href="javascript:x()">x</a><script>x()</script><iframe srcdoc="x"></iframe>`;
    const file = changed((text) =>
      text
        .replace("</h1>\n", `</h1>\n${evil}`)
        .replace(/"more":"/, `"more":"${evil.replaceAll('"', "'")}`)
        .replace(/"imageUrl":"[^"]*"/, '"imageUrl":"javascript:x()"')
        .replace(/"author":"[^"]*"/, '"author":"A\\r\\nX-Evil: 1"'),
    );
    expect((await importFile(file)).out).toContain("Saved copies: 1 restored");
    const restored = await article();
    expect(JSON.stringify([restored?.less, restored?.more])).not.toMatch(/onerror|javascript|<script|srcdoc|iframe/);
    expect([restored?.less, restored?.more]).toEqual([
      expect.stringContaining("The note that belongs"),
      expect.stringContaining("The note that belongs"),
    ]);
    expect([restored?.imageUrl, restored?.author]).toEqual([undefined, "A  X-Evil: 1"]);
    expect((await reader.ok("article", { url })).status).toBe(200);
  });

  test.each([
    ["damaged", (text: string) => text.replace("{", "("), "their files are damaged"],
    ["empty", () => "", "their files are damaged"],
    ["of no page", (text: string) => text.replace(/"resolvedUrl":"[^"]*"/, '"resolvedUrl":"file:///etc"'), "damaged"],
  ])("with an article that is %s restores its list", async (_, change, reason) => {
    const { code, out } = await importFile(changed(change));
    expect([code, out]).toEqual([3, expect.stringMatching(`: 3 new, [\\s\\S]*Rejected 1 article: .*${reason}`)]);
    expect(await article()).toBeUndefined();
  });

  test("with an article of a page that is not in the list leaves it out", async () => {
    const { code, out } = await importFile(fileOf({ ...files, "articles/1.html": files[name] ?? Buffer.from("") }));
    expect([code, out]).toEqual([3, expect.stringContaining("Rejected 1 article: their pages are not in the list.")]);
  });

  test("is restored without its articles through the service; the summary has their number, like a dry run", async () => {
    const left = "Not imported: 1 saved copy; import the file without --url to restore them.";
    const file = fileOf(files);
    expect((await importFile(file, "--dry-run")).out).toContain(left);
    const remote = ["import", file, "--user", reader.username, "--url", service.baseUrl];
    const env = { READINGLIST_APIKEY: service.apiKey };
    const { code, out } = await runCommand(remote, env, `${reader.credentials.password}\n`);
    expect([code, out]).toEqual([0, expect.stringMatching(`: 3 new, [\\s\\S]*${left}`)]);
    expect(await article()).toBeUndefined();
  });
});
