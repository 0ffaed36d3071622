// SPDX-License-Identifier: MIT

import { cors } from "@reading-list/core/contract/headers.ts";
import type { TestUser } from "@reading-list/testing/client.ts";
import { atEndOfFile } from "@reading-list/testing/end-of-file.ts";
import { startPageServer } from "@reading-list/testing/page-server.ts";
import { ReadeckDevice } from "@reading-list/testing/readeck-device.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { WallabagDevice } from "@reading-list/testing/wallabag-device.ts";
import { writePdf } from "@reading-list/testing/write-pdf.ts";
import { unzipSync } from "fflate";
import { beforeAll, beforeEach, expect, test } from "vitest";

let service: TestService;
let user: TestUser;
let pages: string;

const feed =
  "<rss><channel><title>Town News</title><item><title>Open</title><description>&lt;p&gt;It took &lt;b&gt;long&lt;/b&gt;.&lt;/p&gt;</description></item></channel></rss>";
const served: Record<string, [body: string | Buffer, type: string]> = {
  "/a.pdf": [writePdf([[{ text: "The text of a PDF.", y: 700 }]]), "application/pdf"],
  "/scan.pdf": [writePdf(["9 9 99 99 re f"]), "application/pdf"],
  "/boat.png": ["", "image/png"],
  "/feed": [feed, "application/rss+xml"],
  "/notes.md": ["# Notes\n\nIt *took* long.", "text/plain"],
};
/** A part of the view of each with images. */
const shown: Record<string, string> = {
  "/a.pdf": "<p>The text of a PDF.</p>",
  "/boat.png": "/boat.png",
  "/feed": "<p>It took <b>long</b>.</p>",
  "/notes.md": "<p>It <em>took</em> long.</p>",
};
const paths = Object.keys(shown);

beforeAll(async () => {
  const { origin, stop } = await startPageServer(({ url = "" }, response) => {
    const [body, type] = served[url] ?? ["", "text/html"];
    response.writeHead(200, { "content-type": type }).end(body);
  });
  atEndOfFile(stop);
  pages = origin;
  service = await startTestService({ PUBLIC_KEY_ADDRESS_LIMIT: "100000", TEXT_ALLOWED_ORIGINS: pages });
});
beforeEach(async () => {
  user = await service.newUser();
});

test("text of a PDF without text is empty, and X-Notice, which web pages may read, says why", async () => {
  const { status, body, headers } = await service.call("text", { url: `${pages}/scan.pdf` });
  expect([status, body, headers.get("x-notice")]).toEqual([200, "", "the PDF has no text; it may be scanned"]);
  expect(cors.exposedHeaders).toContain("X-Notice");
  expect((await service.call("text", { url: `${pages}/a.pdf` })).headers.has("x-notice")).toBe(false);
});

test("article keeps every kind of page; one without text is not kept and says why", async () => {
  for (const path of [...paths, "/scan.pdf"]) await user.add(pages + path);
  for (const path of paths) {
    const read = await user.ok("article", { url: pages + path, images: "1" });
    expect([read.body, read.headers.has("x-kept")]).toEqual([expect.stringContaining(shown[path] ?? ""), true]);
    expect((await user.ok("article", { url: pages + path, images: "1", mode: "more" })).body).toBe(read.body);
  }
  const image = await user.ok("article", { url: `${pages}/boat.png` });
  expect(image.body).toBe(`<figure><figcaption><a href="${pages}/boat.png">boat.png</a></figcaption></figure>`);
  const scan = await user.ok("article", { url: `${pages}/scan.pdf` });
  expect([scan.headers.get("x-kept"), scan.headers.get("x-notice")]).toEqual([
    null,
    expect.stringContaining("no text"),
  ]);
});

test("a feed that is kept keeps its notice", async () => {
  served["/long"] = [feed.replace("<item>", `${"<item/>".repeat(500)}<item>`), "application/rss+xml"];
  await user.add(`${pages}/long`);
  const notices = [
    await user.ok("article", { url: `${pages}/long` }),
    await user.ok("article", { url: `${pages}/long` }),
  ];
  expect(notices.map(({ headers }) => headers.get("x-notice"))).toEqual(
    Array(2).fill(expect.stringContaining("500 items")),
  );
});

test("a book has every kind of page", async () => {
  for (const path of paths) await user.add(pages + path);
  const urls = JSON.stringify(paths.map((path) => pages + path));
  const body = service.formOf({ ...user.credentials, urls, format: "epub" });
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const response = await fetch(service.urlOf("article"), { method: "POST", headers, body });
  const files = unzipSync(new Uint8Array(await response.arrayBuffer()));
  const chapters = paths.map((_, index) => Buffer.from(files[`book/article-${index + 1}.xhtml`] ?? "").toString());
  const texts = ["The text of a PDF.", "boat.png", "<b>long</b>", "<em>took</em>"];
  expect(chapters).toEqual(texts.map((text) => expect.stringContaining(text)));
});

test("the APIs of wallabag and Readeck show every kind of page", async () => {
  const wallabag = await new WallabagDevice(service, user.credentials).signIn();
  const readeck = await ReadeckDevice.signIn(user);
  for (const path of paths) {
    const { content } = await wallabag.ok("POST", "api/entries", { url: pages + path });
    expect(content).toContain(shown[path]);
  }
  for (const { id, url } of await readeck.bookmarks()) {
    const { status, body } = await readeck.call("GET", `bookmarks/${id}/article`);
    expect([status, body]).toEqual([200, expect.stringContaining(shown[new URL(url).pathname] ?? "")]);
  }
});
