// SPDX-License-Identifier: MIT

import fs, { copyFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { Database, requireSqlite } from "@reading-list/store-sqlite/database.ts";
import { TestUser } from "@reading-list/testing/client.ts";
import { FakeClock } from "@reading-list/testing/fake-clock.ts";
import { temporaryFolder } from "@reading-list/testing/temporary-folder.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { expect, onTestFinished, test, vi } from "vitest";

type Sync = (error: Error | null) => void;

/** Lets a test end each sync of a file. */
function holdSyncs(): Sync[] {
  const syncs: Sync[] = [];
  const held = vi.spyOn(fs, "fdatasync").mockImplementation((_, done) => void syncs.push(done));
  onTestFinished(() => held.mockRestore());
  return syncs;
}

async function startWithUser(): Promise<{ service: TestService; user: TestUser }> {
  const service = await startTestService();
  const user = await service.newUser();
  await user.add("http://example.com/");
  return { service, user };
}

test("an answer waits until the change that it depends on is durable, even if the call changes nothing itself", async () => {
  const { user } = await startWithUser();
  const syncs = holdSyncs();
  const answered: string[] = [];
  const note = (name: string) => (answer: { status: number }) => answered.push(`${name} ${answer.status}`);
  const change = () => user.send({ read: [{ url: "http://example.com/" }] });
  const calls = [change().then(note("send"))];
  await expect.poll(() => syncs).toHaveLength(1);
  calls.push(change().then(note("same send")));
  for (const endpoint of ["stats", "get"]) calls.push(user.call(endpoint).then(note(endpoint)));
  calls.push(user.call("signup").then(note("signup")));
  // Each of them would be answered before this call, which begins after them.
  await user.service.fetch(`${user.service.baseUrl}/app/config.json`);
  expect(answered).toEqual([]);
  while (answered.length < calls.length) {
    syncs.shift()?.(null);
    await new Promise(setImmediate);
  }
  expect(answered.sort()).toEqual(["get 200", "same send 200", "send 200", "signup 401", "stats 200"]);
});

test("after a failed sync, no change is acknowledged and the process is asked to end", async () => {
  const { service, user } = await startWithUser();
  const syncs = holdSyncs();
  const change = user.send({ read: [{ url: "http://example.com/" }] });
  await expect.poll(() => syncs).toHaveLength(1);
  syncs.shift()?.(new Error("EIO"));
  expect((await change).status).toBe(503);
  expect((await user.send({ read: [{ url: "http://example.com/" }] })).status).toBe(503);
  expect((await user.call("stats")).status).toBe(503);
  expect((await service.failure).message).toBe("EIO");
});

test("a change after a power cut is above every since that was answered before, although the clock is behind", async () => {
  const { service, user } = await startWithUser();
  const { since } = await user.get();
  const DATA_DIR = temporaryFolder();
  for (const name of readdirSync(service.env.DATA_DIR)) {
    if (name.startsWith("reading-list.db"))
      copyFileSync(path.join(service.env.DATA_DIR, name), path.join(DATA_DIR, name));
  }
  const database = Database.open(DATA_DIR);
  database.run("UPDATE users SET last_since = 0");
  await database.close();
  const clock = new FakeClock();
  clock.advance(service.clock.seconds() - clock.seconds() - 30);
  const restarted = await startTestService({ DATA_DIR, LOCAL_API_KEY: service.apiKey }, { clock });
  const sameUser = new TestUser(restarted, user.credentials.username, user.credentials.password);
  await sameUser.add("http://example.org/");
  expect(Object.values((await sameUser.get({ since })).list).map(({ url }) => url)).toEqual(["http://example.org/"]);
});

test("a SQLite that can damage a database is refused", () => {
  for (const version of ["3.53.4", "3.51.3", "3.100.0", "4.0.0"]) expect(() => requireSqlite(version)).not.toThrow();
  for (const version of ["3.51.2", "3.9.0", undefined]) expect(() => requireSqlite(version)).toThrow("3.51.3 or later");
});
