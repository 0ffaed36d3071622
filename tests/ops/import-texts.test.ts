// SPDX-License-Identifier: MIT

import { writeFileSync } from "node:fs";
import path from "node:path";
import { toItemId } from "@reading-list/core/domain/item-id.ts";
import type { TestUser } from "@reading-list/testing/client.ts";
import { commandsFor } from "@reading-list/testing/command-line.ts";
import { keptSourcesIn } from "@reading-list/testing/kept-sources.ts";
import { prose } from "@reading-list/testing/page-server.ts";
import { temporaryFolder } from "@reading-list/testing/temporary-folder.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { strToU8, zipSync } from "fflate";
import sharp from "sharp";
import { beforeAll, beforeEach, expect, test } from "vitest";

const folder = temporaryFolder();
let service: TestService;
let user: TestUser;
let pictures: string[];

beforeAll(async () => {
  service = await startTestService();
  const pictureOf = async (background: string) => {
    const image = sharp({ create: { width: 300, height: 200, channels: 3, background } });
    return (await image.png().toBuffer()).toString("base64");
  };
  pictures = await Promise.all(["#336699", "#993366"].map(pictureOf));
});
beforeEach(async () => {
  user = await service.newUser();
});

/** Imports a file; the report of the command. */
async function importFile(name: string, content: string | Uint8Array, ...options: string[]) {
  const file = path.join(folder, name);
  writeFileSync(file, content);
  const { run } = commandsFor(service);
  const { code, out, json } = await run("import", file, "--user", user.credentials.username, "--json", ...options);
  return { code, out, data: json() as { new: number; lost: object; texts?: object | number } };
}

const url = "https://one.example/a";
const other = "https://two.example/b";
const textOf = (page: string, parameters = {}) => user.ok("article", { url: page, ...parameters });
const none = { existing: 0, full: 0, missing: 0, unreadable: 0 };

const wallabag = (content: string) =>
  JSON.stringify([
    {
      url,
      title: "One",
      tags: [],
      is_archived: 0,
      is_starred: 0,
      content,
      created_at: "2023-11-14T22:13:21+0000",
    },
    {
      url: other,
      title: "Two",
      tags: [],
      is_archived: 1,
      is_starred: 0,
      created_at: "2023-11-14T22:13:22+0000",
      content: "<p>wallabag can't retrieve contents for this article. Please troubleshoot this issue.</p>",
    },
  ]);

test("the texts of wallabag are saved, but not its message for a missing text", async () => {
  const { code, data } = await importFile("wallabag.json", wallabag(`${prose}<p>Of wallabag.</p>`));
  expect([code, data]).toMatchObject([0, { new: 2, lost: {}, texts: { ...none, kept: 1 } }]);
  const answer = await textOf(url);
  expect(answer.body).toContain("Of wallabag.");
  expect(answer.headers.get("x-kept")).toBe("1700000001");
});

test("a text that is kept already stays, so that an import can be repeated", async () => {
  await importFile("wallabag.json", wallabag(`${prose}<p>First.</p>`));
  const { data } = await importFile("wallabag.json", wallabag(`${prose}<p>Second.</p>`));
  expect(data).toMatchObject({ new: 0, texts: { ...none, kept: 0, existing: 1 } });
  expect((await textOf(url)).body).toContain("First.");
});

test("a dry run changes nothing, and counts the texts", async () => {
  const { data } = await importFile("wallabag.json", wallabag(prose), "--dry-run");
  expect(data).toMatchObject({ new: 2, texts: 1 });
});

test("the texts of an Omnivore zip are kept, with the addresses that its images had at their sites", async () => {
  const pages = [
    { slug: "one", title: "One", url, state: "Active", labels: [], savedAt: "2023-11-14T22:13:21.000Z" },
    { slug: "two", title: "Two", url: other, state: "Archived", labels: [], savedAt: "2023-11-14T22:13:22.000Z" },
  ];
  const proxy = "https://proxy-prod.omnivore-image-cache.app/680x0,sAbC-d_e/";
  const { data } = await importFile(
    "omnivore.zip",
    zipSync({
      "content/one.html": strToU8(`${prose}<p>Of Omnivore. <img src="${proxy}https://one.example/a.png"></p>`),
      "content/two.html": strToU8("<p></p>"),
      "content/three.html": strToU8(prose),
      "metadata_0_to_20.json": strToU8(JSON.stringify(pages)),
    }),
  );
  expect(data).toMatchObject({ new: 2, lost: {}, texts: { ...none, kept: 1, unreadable: 1 } });
  const { body } = await textOf(url, { images: 1 });
  expect(body).toContain("Of Omnivore.");
  expect(body).toContain('src="https://one.example/a.png"');
});

test("the texts of an export of Readeck are kept with their pictures, annotations are highlights", async () => {
  const bookmark = (id: string, page: string, annotations: object[]) => ({
    ID: 1,
    UID: id,
    UserID: 1,
    Created: "2023-11-14T22:13:21Z",
    Updated: "2023-11-15T08:00:00Z",
    URL: page,
    Title: id,
    Labels: null,
    Text: "text",
    ReadProgress: 0,
    IsArchived: false,
    Annotations: annotations,
  });
  const annotation = { id: "n1", created: "2023-11-14T22:13:23Z", text: "Of Readeck", color: "yellow", note: "" };
  const html = `<html><body><section><p>Of Readeck.</p>${prose}<img src="./_resources/a.jpg" width="300">${prose}</section></body></html>`;
  const { code, data } = await importFile(
    "readeck.zip",
    zipSync({
      "bookmarks/one/info.json": strToU8(JSON.stringify(bookmark("one", url, [annotation]))),
      "bookmarks/one/container/_resources/a.jpg": Buffer.from(pictures[0] ?? "", "base64"),
      "bookmarks/one/container/index.html": strToU8(html),
      "bookmarks/one/container/log": strToU8("log"),
      "bookmarks/two/info.json": strToU8(JSON.stringify(bookmark("two", other, []))),
      "data.json": strToU8('{"Users":[{"Username":"ann"}],"Bookmarks":[{"UID":"one","UserID":1}]}'),
    }),
  );
  expect([code, data]).toMatchObject([0, { new: 2, lost: { "data.json": 1 }, texts: { ...none, kept: 1 } }]);
  const { body } = await textOf(url, { images: "kept" });
  expect(body).toContain("Of Readeck.");
  const [source = ""] = keptSourcesIn(body);
  expect((await fetch(source)).status).toBe(200);
  const { list } = (await user.ok("highlights", {})).json();
  expect(Object.values(list)).toMatchObject([{ quote: "Of Readeck" }]);
});

test("the texts in answers of Karakeep's API are kept", async () => {
  const content = { type: "link", url, htmlContent: `${prose}<p>Of Karakeep.</p>` };
  const bookmark = {
    id: "k1",
    createdAt: "2023-11-14T22:13:21.000Z",
    title: "One",
    tags: [],
    archived: false,
    content,
  };
  const { data } = await importFile("karakeep.json", JSON.stringify({ bookmarks: [bookmark], nextCursor: null }));
  expect(data).toMatchObject({ new: 1, texts: { ...none, kept: 1 } });
  expect((await textOf(url)).body).toContain("Of Karakeep.");
});

test("a page of SingleFile is saved with its text and pictures, whether attributes have quotes or not", async () => {
  const html = `<!DOCTYPE html> <html lang=en><!--
 Page saved with SingleFile 
 url: ${url} 
 saved date: Tue Nov 14 2023 23:13:21 GMT+0100 (Central European Standard Time)
--><meta charset=utf-8><title>One</title><body><article><h1>One</h1>${prose}
<p>Of SingleFile.</p><img class=wide src=data:image/png;base64,${pictures[0]}>${prose}<img src="data:image/png;base64,${pictures[1]}">
<script>alert(1)</script></article>`;
  const { data } = await importFile("page.html", html);
  expect(data).toMatchObject({ new: 1, texts: { ...none, kept: 1 } });
  const { body } = await textOf(url, { images: "kept" });
  expect(body).toContain("Of SingleFile.");
  expect(body).not.toContain("alert");
  const sources = keptSourcesIn(body);
  expect(sources).toHaveLength(2);
  for (const source of sources) {
    const answer = await fetch(source);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "image/webp"]);
  }
  const owner = await service.operator.findUser(user.credentials.username);
  if (!owner) throw new Error("the user is gone");
  expect(await service.operator.pictureStore.list(owner, toItemId(url))).toHaveLength(2);
});

test("a picture that cannot be decoded, or has no room, leaves the text as it is", async () => {
  const broken = Buffer.from("no picture").toString("base64");
  const html = `<html><!--
 Page saved with SingleFile 
 url: ${url} 
 saved date: Tue Nov 14 2023 23:13:21 GMT+0100
--><title>One</title><article>${prose}<img src="data:image/png;base64,${broken}">${prose}</article>`;
  const { code, data } = await importFile("broken.html", html);
  expect([code, data]).toMatchObject([0, { texts: { ...none, kept: 1 } }]);
  expect((await textOf(url, { images: "kept" })).body).not.toContain("<img");
});
