// SPDX-License-Identifier: MIT

import { readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { PageKeeper } from "@reading-list/core/use-cases/articles/keep-pages.ts";
import { TestUser } from "@reading-list/testing/client.ts";
import { keptSourcesIn } from "@reading-list/testing/kept-sources.ts";
import { type PageServer, prose, startPageServer } from "@reading-list/testing/page-server.ts";
import { temporaryFolder } from "@reading-list/testing/temporary-folder.ts";
import { startDynamodbService, startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import sharp from "sharp";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from "vitest";

let pages: PageServer;
let isGone: boolean;
let isReplaced: boolean;
let pictureCalls = 0;
let service: TestService;
let keeper: PageKeeper;
let user: TestUser;
const picture = sharp({ create: { width: 300, height: 90, channels: 3, background: "#336699" } }).png();

beforeAll(async () => {
  const png = await picture.toBuffer();
  const other = await sharp({ create: { width: 200, height: 90, channels: 3, background: "#993366" } })
    .png()
    .toBuffer();
  pages = await startPageServer(({ url }, response) => {
    if (url === "/picture") pictureCalls++;
    if (url === "/picture" && isGone) return response.writeHead(404).end();
    if (url === "/picture")
      return response.writeHead(200, { "content-type": "image/png" }).end(isReplaced ? other : png);
    const html = `<article>${prose}<figure><img src="/picture"><figcaption>A caption.</figcaption></figure>${prose}</article>`;
    return response.writeHead(200, { "content-type": "text/html" }).end(html);
  });
});
afterAll(() => pages.stop());

const start = (DATA_DIR: string) =>
  startTestService({ DATA_DIR, TEXT_ALLOWED_ORIGINS: pages.origin }, { takeKeeper: (each) => (keeper = each) });

beforeEach(async () => {
  isGone = isReplaced = false;
  service = await start(temporaryFolder());
  user = await service.newUser();
  await user.add(`${pages.origin}/page`);
  expect(await sources()).toHaveLength(1);
});

const read = async () => (await user.ok("article", { url: `${pages.origin}/page`, images: "kept" })).body;
const sources = async () => keptSourcesIn(await read());
const files = (parent = "") => {
  const folder = path.join(service.env.DATA_DIR, parent, "pictures");
  const found = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  return found.map((each) => path.join(each.parentPath, each.name));
};
const statusOf = async (address = "") => (await fetch(address)).status;

describe("a picture whose file is lost", () => {
  test.each([
    ["missing", (file: string) => rmSync(file)],
    ["empty", (file: string) => writeFileSync(file, "")],
  ])("or %s, is fetched again when its article is opened", async (_, lose) => {
    for (const file of files()) lose(file);
    const [source] = await sources();
    expect(await statusOf(source)).toBe(200);
  });

  test("is fetched again in the background after the next start", async () => {
    const [source = ""] = await sources();
    for (const file of files()) rmSync(file);
    const { DATA_DIR } = service.env;
    const { username, password } = user.credentials;
    await service.stop();
    service = await start(DATA_DIR);
    user = new TestUser(service, username, password);
    const work = async () => {
      await keeper.round();
      await keeper.finish();
      return files().length;
    };
    await expect.poll(work).toBe(1);
    expect(await statusOf(source.replace(/^http:\/\/[^/]*/, service.textUrl))).toBe(200);
  });

  test("is left out with its caption if the site has it no more, and asked for again after an hour", async () => {
    for (const file of files()) rmSync(file);
    isGone = true;
    expect(await sources()).toEqual([]);
    expect(await read()).toContain("A caption.");
    isGone = false;
    expect(await sources()).toEqual([]);
    service.clock.advance(3601);
    expect(await sources()).toHaveLength(1);
  });
});

describe.skipIf(!inject("dynamodbEndpoint"))("a picture of a stage whose object is lost", () => {
  beforeEach(async () => {
    service = await startDynamodbService({ TEXT_ALLOWED_ORIGINS: pages.origin });
    user = await service.newUser();
    await user.add(`${pages.origin}/page`);
    expect(await sources()).toHaveLength(1);
  });
  const lose = () => {
    for (const file of files("objects")) rmSync(file);
  };
  const bytes = async () => {
    const { pictureStore, findUser } = service.operator;
    return pictureStore.bytes({ userId: String((await findUser(user.credentials.username))?.userId) });
  };

  test("is fetched again when its article is opened after the picture was asked for", async () => {
    const [source] = await sources();
    const before = await bytes();
    lose();
    expect(await statusOf(source)).not.toBe(200);
    const [again] = await sources();
    expect(await statusOf(again)).toBe(200);
    expect(files("objects")).toHaveLength(1);
    expect(await bytes()).toBe(before);
    const asked = pictureCalls;
    await sources();
    expect(pictureCalls).toBe(asked);
  });

  test("is left out if the site has it no more, and asked for again after an hour", async () => {
    const [source] = await sources();
    lose();
    await statusOf(source);
    isGone = true;
    expect(await sources()).toEqual([]);
    expect(await bytes()).toBe(0);
    isGone = false;
    expect(await sources()).toEqual([]);
    service.clock.advance(3601);
    expect(await sources()).toHaveLength(1);
  });

  test("is fetched again if the site has another one by then", async () => {
    const [source] = await sources();
    lose();
    await statusOf(source);
    isReplaced = true;
    const [again] = await sources();
    expect(again).not.toBe(source);
    expect(await statusOf(again)).toBe(200);
    expect(files("objects")).toHaveLength(1);
  });
});
