// SPDX-License-Identifier: MIT

import { existsSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { toItemId } from "@reading-list/core/domain/item-id.ts";
import { Database } from "@reading-list/store-sqlite/database.ts";
import { PictureFiles } from "@reading-list/store-sqlite/picture-files.ts";
import { TestUser } from "@reading-list/testing/client.ts";
import { runCommand } from "@reading-list/testing/command-line.ts";
import { keptSourcesIn } from "@reading-list/testing/kept-sources.ts";
import { type PageServer, prose, startPageServer } from "@reading-list/testing/page-server.ts";
import { permitAt } from "@reading-list/testing/permit-at.ts";
import { temporaryFolder } from "@reading-list/testing/temporary-folder.ts";
import { startDynamodbService, startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import sharp from "sharp";
import { afterAll, beforeAll, beforeEach, expect, inject, test } from "vitest";

let pages: PageServer;
let isGone = false;
let service: TestService;
let user: TestUser;
let url: string;

beforeAll(async () => {
  pages = await startPageServer(async ({ url: called = "" }, response) => {
    if (isGone) return response.writeHead(404).end();
    if (!called.startsWith("/picture")) {
      const images = [1, 2].map((width) => `<img src="/picture-${width}${called.slice(1)}">${prose}`);
      return response
        .writeHead(200, { "content-type": "text/html" })
        .end(`<article>${prose}${images.join("")}</article>`);
    }
    const width = 100 + Number(called.replaceAll(/\D/g, ""));
    const picture = sharp({ create: { width, height: 90, channels: 3, background: "#336699" } });
    return response.writeHead(200, { "content-type": "image/png" }).end(await picture.png().toBuffer());
  });
});
afterAll(() => pages.stop());
beforeEach(async () => {
  isGone = false;
  service = await startTestService({ TEXT_ALLOWED_ORIGINS: pages.origin });
  user = await service.newUser();
  url = await keepPage(1);
});

/** Keeps a page with two pictures of its own; returns its URL. */
async function keepPage(number: number): Promise<string> {
  const page = `${pages.origin}/${number}`;
  await user.add(page);
  expect(await sourcesOf(page)).toHaveLength(2);
  return page;
}

const sourcesOf = async (page: string, of = user) =>
  keptSourcesIn((await of.ok("article", { url: page, images: "kept" })).body);
const statusesOf = (sources: readonly string[]) => Promise.all(sources.map(async (each) => (await fetch(each)).status));

const run = (...args: string[]) => runCommand([...args, "--yes"], service.env);
const ownFolder = async (folder: string) =>
  path.join(folder, "pictures", (await service.operator.findUser(user.credentials.username))?.userId ?? "");
const filesIn = (folder: string) => (existsSync(folder) ? readdirSync(folder).sort() : []);

/** What `doctor` says of pictures. */
async function checkPictures(): Promise<{ ok: boolean; finding: string }> {
  const { checks } = (await run("doctor", "--json")).json() as {
    checks: { check: string; ok: boolean; finding: string }[];
  };
  const found = checks.find(({ check }) => check === "pictures");
  if (!found) throw new Error("doctor has not looked at pictures");
  return { ok: found.ok, finding: found.finding };
}

test("a backup copies the pictures that are not beside it yet, and a restored one has them", async () => {
  const backups = temporaryFolder();
  const copied = async (name: string) => (await run("backup", path.join(backups, name), "--json")).json().pictures;
  expect(await copied("1.db")).toEqual({ copied: 2, missing: 0 });
  expect(await copied("2.db")).toEqual({ copied: 0, missing: 0 });
  await keepPage(2);
  expect(await copied("3.db")).toEqual({ copied: 2, missing: 0 });

  isGone = true;
  const DATA_DIR = temporaryFolder();
  const restore = () => runCommand(["restore", path.join(backups, "3.db"), "--yes", "--json"], { DATA_DIR });
  expect((await restore()).json().pictures).toEqual({ copied: 4, missing: 0 });
  expect(filesIn(await ownFolder(DATA_DIR))).toHaveLength(4);
  expect((await restore()).json().pictures).toEqual({ copied: 0, missing: 0 });
  const restored = await startTestService({ DATA_DIR });
  user = new TestUser(restored, user.credentials.username, user.credentials.password);
  expect(await statusesOf(await sourcesOf(url))).toEqual([200, 200]);
});

test("a backup leaves out pictures if asked, and reports a damaged picture", async () => {
  const backups = temporaryFolder();
  await run("backup", path.join(backups, "1.db"), "--without-pictures");
  expect(filesIn(backups)).not.toContain("pictures");
  const [first = ""] = filesIn(await ownFolder(service.env.DATA_DIR));
  writeFileSync(path.join(await ownFolder(service.env.DATA_DIR), first), "other bytes");
  const { out } = await run("backup", path.join(backups, "2.db"));
  expect(out).toContain("1 picture copied beside it; 1 missing or damaged, see readinglist doctor.");
});

test("a backup removes pictures that no backup of the last 35 days has", async () => {
  const backups = temporaryFolder();
  const file = path.join(backups, "1.db");
  await run("backup", file);
  const folder = await ownFolder(backups);
  const [erased = "", kept = ""] = filesIn(folder);
  const old = Date.now() / 1000 - 36 * 86_400;
  for (const name of [erased, kept]) utimesSync(path.join(folder, name), old, old);
  const { items, pictureStore } = service.operator;
  const record = await service.operator.findUser(user.credentials.username);
  if (!record) throw new Error("the user is gone");
  expect((await items.find(record.username, [toItemId(url)])).size).toBe(1);
  const pictures = await pictureStore.list(record, toItemId(url));
  await pictureStore.forget(
    record,
    toItemId(url),
    pictures.filter(({ hash }) => hash === erased).map((each) => each.url),
  );
  await run("backup", file);
  expect(filesIn(folder)).toEqual([kept]);
});

test("doctor names pictures that are missing or damaged, and rows and bytes that are wrong", async () => {
  expect(await checkPictures()).toEqual({ ok: true, finding: expect.stringContaining("2 saved pictures") });
  const folder = await ownFolder(service.env.DATA_DIR);
  const [missing = "", damaged = ""] = filesIn(folder);
  rmSync(path.join(folder, missing));
  writeFileSync(path.join(folder, damaged), "other bytes");
  const database = new DatabaseSync(path.join(service.env.DATA_DIR, "reading-list.db"));
  database.exec("UPDATE users SET picture_bytes = 1; DELETE FROM articles");
  database.close();
  const finding = /1 missing, 1 damaged, 2 rows without a page or picture, 1 users with wrong byte counts/;
  expect(await checkPictures()).toEqual({ ok: false, finding: expect.stringMatching(finding) });
  expect((await run("doctor", "--without-pictures")).out).not.toContain("saved pictures");
});

test("refresh=1 brings pictures back whose files are missing or damaged", async () => {
  const folder = await ownFolder(service.env.DATA_DIR);
  const [missing = "", damaged = ""] = filesIn(folder);
  const sources = await sourcesOf(url);
  rmSync(path.join(folder, missing));
  writeFileSync(path.join(folder, damaged), "other bytes");
  await user.ok("article", { url, images: "kept", refresh: 1 });
  expect(await statusesOf(sources)).toEqual([200, 200]);
  expect((await checkPictures()).ok).toBe(true);
});

test("files that a crash has left do not count as pictures, and are removed", async () => {
  const folder = await ownFolder(service.env.DATA_DIR);
  const kept = filesIn(folder);
  const unfinished = path.join(folder, `${"b".repeat(64)}.1`);
  writeFileSync(path.join(folder, "a".repeat(64)), "left");
  writeFileSync(unfinished, "left");
  mkdirSync(path.join(folder, "..", "former-user"));
  writeFileSync(path.join(folder, "..", "former-user", "c".repeat(64)), "left");
  expect(await checkPictures()).toEqual({ ok: true, finding: expect.stringContaining("3 unused files") });

  const database = Database.open(service.env.DATA_DIR);
  await database.save(() => database.run("UPDATE users SET picture_bytes = 1"));
  await new PictureFiles(database).sweep(permitAt(Date.now() / 1000));
  expect(filesIn(folder)).toEqual([...kept, path.basename(unfinished)].sort());
  utimesSync(unfinished, 0, 0);
  await new PictureFiles(database).sweep(permitAt(Date.now() / 1000));
  expect([filesIn(folder), filesIn(path.join(folder, "..", "former-user"))]).toEqual([kept, []]);
  await database.close();
  expect((await checkPictures()).ok).toBe(true);
});

const databases: Record<string, () => Promise<TestService>> = {
  "a data folder": () => startTestService(),
  ...(inject("dynamodbEndpoint") && { DynamoDB: () => startDynamodbService() }),
};

test.each(Object.keys(databases))(
  "move copies pictures to %s, including pictures that were saved after an earlier move",
  async (name) => {
    const target = (await databases[name]?.()) as TestService;
    const { DATA_DIR, DYNAMODB_ENDPOINT, TABLE_NAME } = target.env;
    const to = DYNAMODB_ENDPOINT ? [DYNAMODB_ENDPOINT, "--to-table", TABLE_NAME] : [DATA_DIR];
    const move = ["move", user.credentials.username, "--from", service.env.DATA_DIR, "--to", ...to];
    const moved = new TestUser(target, user.credentials.username, user.credentials.password);
    await user.add(`${pages.origin}/2`);
    for (const page of [url, `${pages.origin}/2`]) {
      isGone = false;
      await sourcesOf(page);
      expect((await runCommand(move, { DATA_DIR })).code).toBe(0);
      isGone = true;
      expect(await statusesOf(await sourcesOf(page, moved))).toEqual([200, 200]);
    }
    const owner = { userId: (await target.operator.findUser(user.credentials.username))?.userId ?? "" };
    expect(await target.operator.pictureStore.bytes(owner)).toBe(await service.operator.pictureStore.bytes(owner));
  },
);
