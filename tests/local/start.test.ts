// SPDX-License-Identifier: MIT

import { once } from "node:events";
import { closeSync, mkdirSync, openSync, readdirSync, writeSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { SetupError } from "@reading-list/core/errors.ts";
import { type Answer, form } from "@reading-list/testing/client.ts";
import { runCommand } from "@reading-list/testing/command-line.ts";
import { startDynamodb } from "@reading-list/testing/dynamodb.ts";
import { type Started, start as startProcess, untilReady } from "@reading-list/testing/started-service.ts";
import { temporaryFolder } from "@reading-list/testing/temporary-folder.ts";
import { startInProcess } from "@reading-list/testing/test-service.ts";
import { beforeEach, describe, expect, inject, onTestFinished, test } from "vitest";

let dataDir: string;

beforeEach(() => {
  dataDir = temporaryFolder();
});

function start(env: Record<string, string>): Started {
  const started = startProcess({ DATA_DIR: dataDir, ...env });
  onTestFinished(() => void started.process.kill("SIGKILL"));
  return started;
}

const startHere = (env: Record<string, string>) => startInProcess({ DATA_DIR: dataDir, ...env });

async function call(
  baseUrl: string,
  endpoint: string,
  parameters: Record<string, string> = {},
): Promise<Omit<Answer, "json">> {
  const body = form({ apikey: "local-dev-key", username: "ann", password: "secret", ...parameters });
  const response = await fetch(`${baseUrl}/v2/${endpoint}`, { method: "POST", body });
  return { status: response.status, headers: response.headers, body: await response.text() };
}

const countOf = async (baseUrl: string) => Number(JSON.parse((await call(baseUrl, "stats")).body).count_list);

describe("npm start", () => {
  test("prints both URLs and the key when it is ready to serve", async () => {
    const started = start({ LOCAL_API_KEY: "my-own-key" });
    const { baseUrl, textUrl } = await untilReady(started);
    expect(started.output()).toContain("my-own-key");
    expect((await call(baseUrl, "api", { apikey: "my-own-key" })).status).toBe(200);
    expect((await call(baseUrl, "api")).status).toBe(401);
    expect((await call(textUrl, "text", { apikey: "my-own-key" })).status).toBe(400);
  });

  test("with a HOST that is not loopback prints the key only when it is made", async () => {
    const printed = async (env: Record<string, string>) => {
      const started = start({ HOST: "0.0.0.0", ...env });
      await untilReady(started);
      started.process.kill("SIGTERM");
      await started.ended;
      return started.output().includes("API key");
    };
    const [one, other] = [{ LOCAL_API_KEY: "my-own-key" }, { LOCAL_API_KEY: "another-key" }];
    expect([await printed(one), await printed(one), await printed(other)]).toEqual([true, false, true]);
  });

  test("LOG_FORMAT=text writes a line for a person about each call", async () => {
    const started = start({ LOG_LEVEL: "INFO", LOG_FORMAT: "text" });
    const { baseUrl } = await untilReady(started);
    await call(baseUrl, "auth");
    await expect.poll(started.output).toMatch(/^\S+Z INFO call endpoint="auth" .*status=401 /m);
  });

  test("replaces the API key of the previous start, also by one of an earlier start", async () => {
    const statusOf = async (baseUrl: string, apikey: string) => (await call(baseUrl, "api", { apikey })).status;
    const keys = ["first key", "second key", "first key", "third key"];
    for (const [i, apikey] of keys.entries()) {
      const { baseUrl, stop } = await startHere({ LOCAL_API_KEY: apikey });
      if (i === 0) await call(baseUrl, "signup", { apikey });
      else expect(await statusOf(baseUrl, keys[i - 1] as string)).toBe(403);
      expect(await statusOf(baseUrl, apikey)).toBe(200);
      if (i === 0) await call(baseUrl, "add", { apikey, url: "http://example.com/" });
      const mine = await call(baseUrl, "get", { apikey, myAppOnly: "1" });
      expect(Object.keys(JSON.parse(mine.body).list)).toHaveLength(1);
      await stop();
    }
  });

  test.each(["SIGINT", "SIGTERM"] as const)("stops cleanly on %s, and a restart loses no data", async (signal) => {
    const first = start({});
    const { baseUrl } = await untilReady(first);
    await call(baseUrl, "signup");
    await call(baseUrl, "add", { url: "http://example.com/" });
    first.process.kill(signal);
    expect(await first.ended).toBe(0);
    const again = await untilReady(start({}));
    expect(await countOf(again.baseUrl)).toBe(1);
  });

  test("does not keep data in :memory:", async () => {
    const first = await startHere({ DATA_DIR: ":memory:" });
    await call(first.baseUrl, "signup");
    await first.stop();
    const again = await startHere({ DATA_DIR: ":memory:" });
    expect((await call(again.baseUrl, "auth")).status).toBe(401);
  });
});

test.skipIf(!inject("dynamodbEndpoint"))("npm start on another database creates its DATA_DIR", async () => {
  const database = await startDynamodb();
  onTestFinished(database.stop);
  const folder = path.join(dataDir, "new", "folder");
  const { baseUrl } = await startHere({ DATA_DIR: folder, DYNAMODB_ENDPOINT: database.endpoint });
  expect((await call(baseUrl, "api")).status).toBe(200);
  expect(readdirSync(folder).sort()).toEqual(["secret", "texts", "web-api-key"]);
});

test("/health is 200 on both hosts by GET and HEAD without a key, and 503 if the database cannot be read", async () => {
  const { baseUrl, textUrl } = await startHere({ DATA_DIR: dataDir });
  const statusOf = async (method: string, url: string) => (await fetch(`${url}/health`, { method })).status;
  const all = async () => [
    await statusOf("GET", baseUrl),
    await statusOf("HEAD", baseUrl),
    await statusOf("GET", textUrl),
  ];
  expect(await all()).toEqual([200, 200, 200]);
  expect(await (await fetch(`${baseUrl}/health`)).text()).toBe("ok");
  const database = new DatabaseSync(path.join(dataDir, "reading-list.db"));
  database.exec("ALTER TABLE users RENAME TO gone");
  expect(await all()).toEqual([503, 503, 503]);
  database.exec("ALTER TABLE gone RENAME TO users");
  database.close();
  expect(await all()).toEqual([200, 200, 200]);
});

/** Overwrites the page of the database that has the oldest items. The service reads it again after another process writes. */
function damageOldestItems(): void {
  const file = path.join(dataDir, "reading-list.db");
  const database = new DatabaseSync(file);
  database.exec("INSERT INTO settings VALUES ('a write', ''); PRAGMA wal_checkpoint(TRUNCATE)");
  const sql = "SELECT pgoffset, pgsize FROM dbstat WHERE name = 'items' AND pagetype = 'leaf' ORDER BY path LIMIT 1";
  const { pgoffset, pgsize } = database.prepare(sql).get() as { pgoffset: number; pgsize: number };
  database.close();
  const descriptor = openSync(file, "r+");
  writeSync(descriptor, Buffer.alloc(pgsize, 0xff), 0, pgsize, pgoffset);
  closeSync(descriptor);
}

test("a database that is damaged while the service runs: reads of that part are 503, the rest is served, log and doctor name it", async () => {
  const started = start({});
  let errors = "";
  started.process.stderr?.on("data", (text) => (errors += text));
  const { baseUrl } = await untilReady(started);
  const pages = Array.from({ length: 60 }, (_, i) => ({ url: `http://example.com/${i}/${"x".repeat(300)}` }));
  await call(baseUrl, "signup");
  await call(baseUrl, "send", { new: JSON.stringify(pages) });
  await call(baseUrl, "signup", { username: "bob" });
  await call(baseUrl, "add", { username: "bob", url: "http://example.com/" });
  damageOldestItems();
  const { status, headers, body } = await call(baseUrl, "get");
  expect([status, headers.get("retry-after")]).toEqual([503, "5"]);
  expect(body).toContain("the service failed; try again in a few seconds");
  expect((await call(baseUrl, "get", { count: "1" })).status).toBe(200);
  expect(await countOf(baseUrl)).toBe(60);
  expect((await call(baseUrl, "add", { username: "bob", url: "http://example.org/" })).status).toBe(200);
  expect((await call(baseUrl, "get", { username: "bob" })).body).toContain("http://example.org/");
  const lines = errors.split("\n").filter((line) => line.startsWith("{"));
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { endpoint: "get", status: 503, code: "ERR_SQLITE_ERROR", sqlite: "database disk image is malformed" },
  ]);
  expect(lines.join()).not.toContain("example.com");
  const doctor = await runCommand(["doctor"], { DATA_DIR: dataDir });
  expect(doctor.code).toBe(1);
  expect(doctor.out).toMatch(/FAULT +database +.*reading-list\.db is damaged .*restore a backup/);
});

test("npm start prints one line and exits with 78 if a setting is at fault", async () => {
  const started = start({ PORT: "abc" });
  expect(await started.ended).toBe(78);
  expect(started.output()).toMatch(/^PORT: .*\n$/);
});

describe("npm start is refused with one line for", () => {
  /** The message of the error, which the test above shows to be what `npm start` prints. */
  async function complaintOf(env: Record<string, string>): Promise<string> {
    const error = await startHere(env).catch((error: unknown) => error);
    if (!(error instanceof SetupError)) throw error;
    expect(error.message).not.toContain("\n");
    return error.message;
  }

  test("a port in use", async () => {
    const holder = createServer().listen(0, "127.0.0.1");
    await once(holder, "listening");
    const { port } = holder.address() as { port: number };
    expect(await complaintOf({ PORT: String(port) })).toContain(`PORT ${port} of 127.0.0.1 is in use`);
    expect(await complaintOf({ TEXT_PORT: String(port) })).toContain(`TEXT_PORT ${port} of 127.0.0.1 is in use`);
    holder.close();
  });

  test.each(["/proc/nowhere", "/dev/null/folder"])("a DATA_DIR that cannot be written: %s", async (folder) => {
    expect(await complaintOf({ DATA_DIR: folder })).toContain(`DATA_DIR ${folder} cannot be written`);
  });

  test("a file of DATA_DIR that cannot be read", async () => {
    mkdirSync(path.join(dataDir, "web-api-key"));
    expect(await complaintOf({})).toContain(`DATA_DIR: ${path.join(dataDir, "web-api-key")} cannot be read or written`);
  });

  test("a HOST that is not loopback, with the default API key", async () => {
    expect(await complaintOf({ HOST: "0.0.0.0" })).toContain("LOCAL_API_KEY: must be set");
  });

  test("the API key of another application", async () => {
    await (await startHere({})).stop();
    const create = ["keys", "create", "other", "--key-from-stdin"];
    expect((await runCommand(create, { DATA_DIR: dataDir }, "key of another\n")).code).toBe(0);
    expect(await complaintOf({ LOCAL_API_KEY: "key of another" })).toContain(
      "LOCAL_API_KEY: is already the key of another",
    );
  });

  test("a database that does not answer", async () => {
    expect(await complaintOf({ DYNAMODB_ENDPOINT: "http://127.0.0.1:9" })).toContain("DYNAMODB_ENDPOINT");
  });

  test.each([
    ["PORT", "abc", "must be a whole number from 0 to 65535"],
    ["PORT", "65536", "must be a whole number from 0 to 65535"],
    ["TEXT_PORT", "-1", "must be a whole number from 0 to 65535"],
    ["USER_LIMIT", "many", "must be a whole number, 0 or more"],
    ["KEY_LIMIT", "1.5", "must be a whole number, 0 or more"],
    ["LIMIT_WINDOW_SECONDS", "0", "must be a whole number, 1 or more"],
    ["LOG_LEVEL", "LOUD", "must be INFO, ERROR or SILENT"],
    [
      "TEXT_ALLOWED_ORIGINS",
      "http://a, b",
      "must be http(s) origins such as http://127.0.0.1:8080, separated by commas",
    ],
    ["DYNAMODB_ENDPOINT", "localhost:8000", "must be an http(s) URL, such as http://127.0.0.1:8000"],
    ["TEXT_URL", "text.example.com", "must be an http(s) URL, such as https://text.example.com"],
    ["TRUST_PROXY", "proxy", "must be IP addresses or CIDR ranges, separated by commas"],
    ["SIGNUP", "shut", "must be open or closed"],
  ])("%s=%s", async (name, value, message) => {
    expect(await complaintOf({ [name]: value })).toBe(`${name}: ${message}`);
  });
});
