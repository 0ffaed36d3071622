// SPDX-License-Identifier: MIT

import { createHash, createHmac } from "node:crypto";
import { once } from "node:events";
import { fdatasync, openSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { promisify } from "node:util";

/**
 * The smallest service that could answer `signup`, `auth`, `get`, `add` and `send`: it checks the key and the password,
 * counts the call for both in the database, and syncs changes to the disk, without any check of what it is sent.
 */
const [file = ":memory:"] = process.argv.slice(2);
const database = new DatabaseSync(file);
database.exec(`
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT UNIQUE, proof TEXT, calls INTEGER DEFAULT 0,
    window INTEGER DEFAULT 0, changed INTEGER DEFAULT 0);
  CREATE TABLE keys (key TEXT PRIMARY KEY, calls INTEGER DEFAULT 0, window INTEGER DEFAULT 0) WITHOUT ROWID;
  CREATE TABLE items (id INTEGER PRIMARY KEY, user INTEGER, item INTEGER, kind INTEGER, updated INTEGER, change INTEGER,
    added INTEGER, url TEXT, title TEXT, UNIQUE (user, item));
  CREATE INDEX items_by_change ON items (user, kind, updated, change);
  INSERT INTO keys (key) VALUES ('bench-key');
`);

function prepare(sql: string) {
  const statement = database.prepare(sql);
  statement.setReturnArrays(true);
  return statement as unknown as {
    get(...values: SQLInputValue[]): (string | number | null)[] | undefined;
    all(...values: SQLInputValue[]): (string | number | null)[][];
    run(...values: SQLInputValue[]): unknown;
  };
}
const findUser = prepare("SELECT id, proof, calls, window, changed FROM users WHERE name = ?");
const findKey = prepare("SELECT calls, window FROM keys WHERE key = ?");
const countUser = prepare("UPDATE users SET calls = ?, window = ? WHERE id = ?");
const countKey = prepare("UPDATE keys SET calls = ?, window = ? WHERE key = ?");
const addUser = prepare("INSERT INTO users (name, proof) VALUES (?, ?)");
const noteChange = prepare("UPDATE users SET changed = ? WHERE id = ?");
const readPage = prepare(`
  SELECT item, url, title, updated, added, kind FROM (
    SELECT id, updated AS time, change AS place FROM items WHERE user = ?1 AND kind = 0
    UNION ALL SELECT id, updated, change FROM items WHERE user = ?1 AND kind = 1
    ORDER BY time DESC, place DESC LIMIT ?2
  ) CROSS JOIN items USING (id) ORDER BY time DESC, place DESC`);
const putItem = prepare(`
  INSERT INTO items (user, item, kind, updated, change, added, url, title) VALUES (?, ?, 0, ?, ?, ?, ?, ?)
  ON CONFLICT (user, item) DO UPDATE SET updated = excluded.updated, change = excluded.change, kind = 0`);

const log = file === ":memory:" ? undefined : openSync(`${file}-wal`, "r+");
const sync = promisify(fdatasync);
let running: Promise<void> | undefined;
let next: Promise<void> | undefined;
/** Syncs the log; calls that wait meanwhile share the next one. */
const saved = () => {
  next ??= (async () => {
    await running;
    running = next;
    next = undefined;
    if (log !== undefined) await sync(log);
  })();
  return next;
};

const windowSeconds = 3600;
const limit = 1_000_000_000;
let changes = 0;

const proofOf = (name: string, password: string) =>
  createHmac("sha256", "secret").update(`${name}\n${password}`).digest("base64");
const itemIdOf = (url: string) => createHash("sha256").update(url).digest().readUIntBE(0, 6);
const escapeUnit = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;

interface Reply {
  status: number;
  body: string;
  used: number;
  usedKey: number;
}
const replyOf = (status: number, body: string, used = 0, usedKey = 0): Reply => ({ status, body, used, usedKey });

async function answer(path: string, form: URLSearchParams): Promise<Reply> {
  const now = Math.floor(Date.now() / 1000);
  const name = form.get("username") ?? "";
  const key = form.get("apikey") ?? "";
  const proof = proofOf(name, form.get("password") ?? "");
  if (path === "/v2/signup") {
    addUser.run(name, proof);
    return replyOf(200, "200 OK");
  }
  const window = now - (now % windowSeconds);
  database.exec("BEGIN IMMEDIATE");
  const [keyCalls, keyWindow] = findKey.get(key) ?? [];
  const [user, known, calls, userWindow, changed] = findUser.get(name) ?? [];
  const isRight = keyWindow !== undefined && user != null && known === proof;
  const used = 1 + (userWindow === window ? Number(calls) : 0);
  const usedKey = 1 + (keyWindow === window ? Number(keyCalls) : 0);
  if (isRight) {
    countUser.run(used, window, user);
    countKey.run(usedKey, window, key);
  }
  database.exec("COMMIT");
  if (!isRight) return replyOf(401, "401 Unauthorized");
  if (path === "/v2/get") return replyOf(200, listOf(Number(user), Number(changed), form), used, usedKey);
  if (path === "/v2/auth") return replyOf(200, "200 OK", used, usedKey);
  const added: { url: string; title: string }[] =
    path === "/v2/send"
      ? JSON.parse(form.get("new") ?? "[]")
      : [{ url: form.get("url") ?? "", title: form.get("title") ?? "" }];
  database.exec("BEGIN IMMEDIATE");
  for (const { url, title } of added) putItem.run(user, itemIdOf(url), now, ++changes, now, url, title);
  noteChange.run(now, user);
  database.exec("COMMIT");
  await saved();
  return replyOf(200, "200 OK", used, usedKey);
}

function listOf(user: number, changed: number, form: URLSearchParams): string {
  const since = form.get("since");
  if (since !== null && changed <= Number(since)) return `{"status":"2","since":"${changed}","list":{}}`;
  const entries = readPage
    .all(user, Number(form.get("count") ?? -1))
    .map(
      ([item, url, title, updated, added, kind]) =>
        `"${item}":{"item_id":"${item}","url":${JSON.stringify(url)},"title":${JSON.stringify(title)},"time_updated":"${updated}","time_added":"${added}","state":"${kind}"}`,
    );
  return `{"status":"1","since":"${changed}","list":{${entries.join(",").replace(/[\u0080-\uffff]/g, escapeUnit)}}}`;
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", async () => {
    const form = new URLSearchParams(Buffer.concat(chunks).toString("latin1"));
    const { status, body, used, usedKey } = await answer(request.url ?? "", form);
    const reset = windowSeconds - (Math.floor(Date.now() / 1000) % windowSeconds);
    response.writeHead(status, {
      "Content-Type": body.startsWith("{") ? "application/json; charset=utf-8" : "text/plain; charset=utf-8",
      "Content-Length": body.length,
      "Cache-Control": "no-store",
      Status: "200 OK",
      "X-Limit-User-Limit": limit,
      "X-Limit-User-Remaining": limit - used,
      "X-Limit-User-Reset": reset,
      "X-Limit-Key-Limit": limit,
      "X-Limit-Key-Remaining": limit - usedKey,
      "X-Limit-Key-Reset": reset,
    });
    response.end(body, "latin1");
  });
}).listen(0, "127.0.0.1");
await once(server, "listening");
console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
