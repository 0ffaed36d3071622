import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { itemIdOf } from "@reading-list/core/domain/item-id.ts";
import { startEmbeddedDatabase } from "@reading-list/local/embedded-database.ts";
import { createDocumentClient } from "@reading-list/store/client.ts";
import { dataVersion } from "@reading-list/store/data-version.ts";
import { dataVersionKey } from "@reading-list/store/keys.ts";
import { form, type ItemAnswer, itemsInOrder } from "@reading-list/testing/client.ts";
import { runCommand } from "@reading-list/testing/command-line.ts";
import { type Started, start, untilReady } from "@reading-list/testing/started-service.ts";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";

const fixture = "tests/fixtures/data-0.1.0";
const contents = JSON.parse(readFileSync(`${fixture}/contents.json`, "utf8")) as {
  apiKeys: { local: string; reader: string; disabled: string };
  users: Record<string, string>;
  annItems: ItemAnswer[];
};
const { apiKeys } = contents;

let dataDir: string;
beforeEach(() => {
  const folder = mkdtempSync(path.join(tmpdir(), "reading-list-"));
  dataDir = path.join(folder, "data");
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

/** The data folder of version 0.1.0. */
function layFixture(): void {
  mkdirSync(dataDir);
  writeFileSync(path.join(dataDir, "reading-list.db"), gunzipSync(readFileSync(`${fixture}/reading-list.db.gz`)));
}

function startOn(folder: string): Started {
  const started = start({ DATA_DIR: folder });
  onTestFinished(() => void started.process.kill("SIGKILL"));
  return started;
}

/** Starts the service; returns functions to call and stop it. */
async function startService(folder = dataDir) {
  const started = startOn(folder);
  const { baseUrl } = await untilReady(started);
  const call = async (endpoint: string, parameters: Record<string, string | number> = {}) => {
    const ann = { username: "ann", password: contents.users.ann ?? "" };
    const body = form({ apikey: apiKeys.local, ...ann, ...parameters });
    const response = await fetch(`${baseUrl}/v2/${endpoint}`, { method: "POST", body });
    return { status: response.status, headers: response.headers, body: await response.text() };
  };
  return {
    ...started,
    call,
    /** The items of a `get` by ann, newest first. */
    items: async (parameters: Record<string, string | number> = {}) =>
      itemsInOrder((await call("get", { tags: 1, ...parameters })).body),
    stats: async () => JSON.parse((await call("stats")).body),
    stop: async () => {
      started.process.kill("SIGTERM");
      expect(await started.ended).toBe(0);
    },
  };
}

const urlsOf = (items: readonly ItemAnswer[]) => items.map(({ url }) => url);

describe("a data folder of version 0.1.0", () => {
  beforeEach(layFixture);

  test("is converted by npm start: every page is listed once, in its order, with all its fields", async () => {
    const service = await startService();
    const found = await service.items();
    // Of pages with the same id now, the last change counts, and the first URL.
    const expected: Record<string, Partial<ItemAnswer>> = {
      "http://example.com/": { title: "Example with www", state: "1", tags: "home,first,www" },
      "https://example.org/article/": { title: "An article, saved again", state: "0" },
      "https://example.org/%7Eann/page": { title: "Plain tilde", state: "1" },
    };
    const later = ["http://www.example.com/", "https://example.org/article", "https://example.org/~ann/page"];
    const merged = contents.annItems.filter(({ url }) => !(url in expected));
    const before = new Map(contents.annItems.map((item) => [item.url, item]));
    for (const item of found) {
      const old = before.get(item.url) as ItemAnswer;
      const { title, state, tags = "" } = { ...old, ...expected[item.url] };
      expect(item).toMatchObject({ title, state, tags, time_added: old.time_added, item_id: itemIdOf(item.url) });
      expect(Number(item.item_id)).toBeLessThan(2 ** 53);
    }
    const firstUrls: Record<string, string> = Object.fromEntries(
      later.map((url, i) => [url, Object.keys(expected)[i] ?? ""]),
    );
    expect(urlsOf(found)).toEqual(urlsOf(merged).map((url) => firstUrls[url] ?? url));
    expect(await service.stats()).toMatchObject({ count_list: "9", count_unread: "7", count_read: "2" });
  });

  test("is read by every endpoint and written to after the conversion", async () => {
    const service = await startService();
    expect(await service.items({ state: "unread" })).toHaveLength(7);
    expect(await service.items({ state: "read" })).toHaveLength(2);
    expect(await service.items({ myAppOnly: 1, apikey: apiKeys.reader })).toHaveLength(4);
    const pages = [await service.items({ count: 5, page: 1 }), await service.items({ count: 5, page: 2 })].flat();
    expect(urlsOf(pages)).toEqual(urlsOf(await service.items()));
    const { since } = JSON.parse((await service.call("get")).body);
    expect(await service.items({ since })).toEqual([]);
    await service.call("add", { url: "http://example.net/new" });
    await service.call("send", {
      read: JSON.stringify([{ url: "http://example.net/one" }]),
      delete: JSON.stringify([{ url: "http://example.net/four" }]),
      update_tags: JSON.stringify([{ url: "https://www.example.org/~ann/page/", tags: "by,another,url" }]),
    });
    const changed = await service.items({ since });
    expect(urlsOf(changed).sort()).toEqual([
      "http://example.net/four",
      "http://example.net/new",
      "http://example.net/one",
      "https://example.org/%7Eann/page",
    ]);
    expect(await service.stats()).toMatchObject({ count_list: "9", count_unread: "6", count_read: "3" });
    expect(await service.items()).toHaveLength(9);
  });

  test("keeps users, keys and unfinished deletions of users", async () => {
    const service = await startService();
    const bob = { username: "bob", password: contents.users.bob ?? "" };
    expect((await service.call("auth", bob)).status).toBe(200);
    expect((await service.call("auth", { password: "wrong" })).status).toBe(401);
    const { status, headers } = await service.call("api", { apikey: apiKeys.reader });
    expect([status, headers.get("x-limit-user-limit"), headers.get("x-limit-key-limit")]).toEqual([
      200,
      "500",
      "20000",
    ]);
    expect((await service.call("api", { apikey: apiKeys.disabled })).status).toBe(403);
    expect((await service.call("signup", { username: "cleo" })).status).toBe(401);
    const { code } = await runCommand(["users", "delete", "cleo", "--yes"], { DATA_DIR: dataDir });
    expect(code).toBe(0);
    expect((await service.call("signup", { username: "cleo" })).status).toBe(200);
  });

  test("is converted once, and keeps the old database in the same folder", async () => {
    const first = await startService();
    expect(first.output()).toContain(
      `converted 3 users and 10 items, merged 3 duplicates; the old database is ${dataDir}/reading-list-0.1.0.db\n`,
    );
    await first.call("add", { url: "http://example.net/new" });
    await first.stop();
    const second = await startService();
    expect(second.output()).not.toContain("convert");
    expect(await second.items()).toHaveLength(10);
    await second.stop();
    const names = ["database.lock", "reading-list-0.1.0.db", "reading-list.db", "texts", "web-api-key"];
    expect(readdirSync(dataDir).sort()).toEqual(names);

    // The copy can be converted again, under another name.
    const again = path.join(path.dirname(dataDir), "again");
    mkdirSync(again);
    cpSync(path.join(dataDir, "reading-list-0.1.0.db"), path.join(again, "reading-list.db"));
    cpSync(path.join(dataDir, "reading-list-0.1.0.db"), path.join(again, "reading-list-0.1.0.db"));
    const third = await startService(again);
    expect(await third.items()).toHaveLength(9);
    expect(third.output()).toContain("reading-list-0.1.0-2.db");
  });

  test("loses nothing if the conversion is killed at any moment", async () => {
    for (const delay of [0, 50, 100, 200, 300, 400, 600]) {
      const started = startOn(dataDir);
      let hasEnded = false;
      started.ended.then(() => (hasEnded = true));
      while (!hasEnded && !started.output().includes("convert")) await pause(5);
      await pause(delay);
      started.process.kill("SIGKILL");
      await started.ended;
      if (started.output().includes("converted")) break;
    }
    const service = await startService();
    expect(await service.items()).toHaveLength(9);
    expect(await service.stats()).toMatchObject({ count_list: "9" });
    await service.stop();
    expect(readdirSync(dataDir)).not.toContain("unfinished");
  });

  test("is refused by commands with one line that says what to do", async () => {
    const { code, out, err } = await runCommand(["users", "list"], { DATA_DIR: dataDir });
    expect([code, out]).toEqual([1, ""]);
    expect(err).toBe(
      `readinglist: DATA_DIR ${dataDir} was written by version 0.1.0; run npm start once, which converts it\n`,
    );
  });

  test("is refused with one line as DYNAMODB_ENDPOINT, whose files the service does not own", async () => {
    const database = await startEmbeddedDatabase(dataDir);
    onTestFinished(database.stop);
    const started = start({ DATA_DIR: ":memory:", DYNAMODB_ENDPOINT: database.endpoint });
    expect(await started.ended).toBe(1);
    expect(started.output()).toBe("the table reading-list was written by version 0.1.0; choose another TABLE_NAME\n");
  });
});

test("a data folder of a newer version is refused with one line and stays unchanged", async () => {
  await (await startService()).stop();
  const database = await startEmbeddedDatabase(dataDir);
  const client = createDocumentClient(database.endpoint);
  const newer = { ...dataVersionKey, version: dataVersion + 1 };
  await client.send(new PutCommand({ TableName: "reading-list", Item: newer }));
  client.destroy();
  await database.stop();
  const file = path.join(dataDir, "reading-list.db");
  const before = readFileSync(file);

  const line = `DATA_DIR ${dataDir} was written by a newer version of this service: its data version is ${dataVersion + 1}, and this version reads up to ${dataVersion}; install the newer version\n`;
  const started = startOn(dataDir);
  expect([await started.ended, started.output()]).toEqual([1, line]);
  const { code, err } = await runCommand(["keys", "list"], { DATA_DIR: dataDir });
  expect([code, err]).toEqual([1, `readinglist: ${line}`]);
  expect(readFileSync(file).equals(before)).toBe(true);
});
