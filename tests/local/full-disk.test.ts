// SPDX-License-Identifier: MIT

import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { addsData } from "@reading-list/core/contract/endpoint.ts";
import { endpoints } from "@reading-list/core/contract/endpoints.ts";
import { operatorEndpoints } from "@reading-list/core/contract/operator.ts";
import { ServiceError } from "@reading-list/core/errors.ts";
import { addsDataByRoute } from "@reading-list/http/api.ts";
import { protocols } from "@reading-list/protocols/protocols.ts";
import { backUp } from "@reading-list/store-sqlite/backup.ts";
import { Database } from "@reading-list/store-sqlite/database.ts";
import type { TestUser } from "@reading-list/testing/client.ts";
import { commandsFor, runCommand } from "@reading-list/testing/command-line.ts";
import { temporaryFolder } from "@reading-list/testing/temporary-folder.ts";
import { startInProcess, startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, beforeEach, describe, expect, inject, onTestFinished, test } from "vitest";

const url = "https://example.com/";

/** A call of each endpoint for each of the parameters on which it depends whether data is added. */
const callsOf = (endpoint: (typeof endpoints)[number] | (typeof operatorEndpoints)[number]) => {
  const entry = JSON.stringify([{ url, title: "t", tags: "a", progress: 1, quote: "q", id: "x" }]);
  const names = Array.isArray(endpoint.adds) ? [...endpoint.adds] : [];
  return [{}, ...names.map((name) => ({ [name]: entry }))].map((parameters) => ({
    name: endpoint.name,
    parameters,
    adds: addsData(endpoint, parameters),
  }));
};

describe.skipIf(inject("isOnDynamodb"))("on a full disk", () => {
  let service: TestService;
  let user: TestUser;
  let free: number;
  const size = 100e9;

  beforeAll(async () => {
    free = size;
    service = await startTestService({}, { measureDisk: () => ({ size, free }) });
    user = await service.newUser();
    await service.operator.administration?.setOperator(user.credentials.username, true);
    await user.ok("add", { url });
  });
  beforeEach(() => {
    free = 150e6;
    return () => {
      free = size;
    };
  });

  test.each([...endpoints, ...operatorEndpoints].flatMap(callsOf))(
    "$name with $parameters is 503 with the code disk_full only if it adds data",
    async ({ name, parameters, adds }) => {
      if (name === "delete_account") return;
      const valid: Record<string, string> = {
        create: name === "operator/links" ? "signup" : "Mine",
        write: "1",
        auto: "1",
      };
      const given = Object.fromEntries(Object.entries(parameters).map(([key, value]) => [key, valid[key] ?? value]));
      const answer = await user.call(name, { url, query: "word", new_password: user.credentials.password, ...given });
      const code = answer.headers.get("x-error-code");
      // A call that is not valid in other ways is refused for those.
      if (adds && answer.status !== 400) {
        expect({ status: answer.status, code }).toEqual({ status: 503, code: "disk_full" });
        expect(answer.headers.get("x-error")).toMatch(/^the disk is full/);
        expect(answer.headers.get("retry-after")).toBe("300");
      } else expect(code).not.toBe("disk_full");
    },
  );

  test("deleting, purging, app passwords, passwords and delete_account still work", async () => {
    free = size;
    const other = await service.newUser();
    await other.ok("add", { url });
    free = 0;
    expect((await other.items()).map((item) => item.url)).toEqual([url]);
    await other.ok("send", { delete: JSON.stringify([{ url }]) });
    await other.ok("trash", { purge: "all" });
    await other.ok("app_passwords", { create: "Phone" });
    await other.ok("password", { new_password: other.credentials.password });
    await other.ok("delete_account", { confirm: other.credentials.username });
  });

  test("a send is refused as a whole if one of its entries adds data", async () => {
    const answer = await user.call("send", { delete: JSON.stringify([{ url }]), new: JSON.stringify([{ url }]) });
    expect(answer.status).toBe(503);
    expect((await user.items()).map((item) => item.url)).toEqual([url]);
  });

  test("/health is 200 and says so", async () => {
    const response = await fetch(`${service.baseUrl}/health`);
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining("the disk is full")]);
    free = size;
    expect(await (await fetch(`${service.baseUrl}/health`)).text()).toBe("ok");
  });

  test("operator/state reports it", async () => {
    const state = JSON.parse((await user.ok("operator/state")).body);
    expect(state).toMatchObject({ disk_full: "1", disk_free_bytes: "150000000" });
  });
});

test("a route of another service's API that deletes adds nothing", () => {
  const routes = protocols.flatMap(({ routes: all }) => all);
  expect(
    routes.filter(({ route }) => route.startsWith("DELETE ")).filter((route) => addsDataByRoute(route, {})),
  ).toEqual([]);
  expect(routes.some((route) => route.route === "POST /api/bookmarks" && addsDataByRoute(route, {}))).toBe(true);
});

test("doctor reports it, and no backup starts", async () => {
  const dataDir = temporaryFolder();
  const { stop } = await startInProcess({ DATA_DIR: dataDir });
  await stop();
  const env = { DATA_DIR: dataDir, DYNAMODB_ENDPOINT: "", TABLE_NAME: "", DISK_RESERVE_MB: "100000000" };
  const { run } = commandsFor({ env } as never);
  expect(JSON.stringify(await run("doctor"))).toContain("the disk is full");
  const file = path.join(dataDir, "backup.db");
  expect(() => backUp(dataDir, file, 1e15)).toThrow("is full, so no backup was started");
  expect(existsSync(file)).toBe(false);
});

describe.skipIf(inject("isOnDynamodb"))("commands that add data to a full disk", () => {
  const full = "the disk is full";
  const file = path.join(temporaryFolder(), "pocket.csv");
  let service: TestService;
  let user: TestUser;
  let free: number;
  beforeAll(async () => {
    writeFileSync(file, `title,url,time_added,tags,status\nOne,${url},1500000001,,unread\n`);
    service = await startTestService({}, { measureDisk: () => ({ size: 100e9, free }) });
  });
  beforeEach(async () => {
    free = 100e9;
    user = await service.newUser();
  });
  /** Runs a command whose disk is never free enough. */
  const runOnFull = (...args: string[]) =>
    runCommand(args, { DATA_DIR: service.env.DATA_DIR, DISK_RESERVE_MB: "100000000" });

  test("import says what to do and adds nothing; a dry run still works", async () => {
    const args = ["import", file, "--user", user.credentials.username];
    const { code, err } = await runOnFull(...args);
    expect([code, err]).toEqual([1, expect.stringMatching(/the disk is full.*Free space.*run the command again/)]);
    expect(await user.items()).toEqual([]);
    expect((await runOnFull(...args, "--dry-run")).code).toBe(0);
  });

  test("import through a service stops, and says so", async () => {
    const args = ["import", file, "--user", user.credentials.username, "--url", service.baseUrl];
    free = 0;
    const { code, err } = await runCommand(
      args,
      { READINGLIST_APIKEY: service.apiKey },
      `${user.credentials.password}\n`,
    );
    expect([code, err]).toEqual([1, expect.stringContaining(full)]);
    expect(await user.items()).toEqual([]);
  });

  test("move says what to do, and does not move a user", async () => {
    await user.ok("add", { url });
    const target = await startTestService();
    const { username } = user.credentials;
    const args = ["move", username, "--from", service.env.DATA_DIR, "--to", target.env.DATA_DIR];
    const { code, err } = await runOnFull(...args);
    expect([code, err]).toEqual([1, expect.stringContaining(full)]);
    expect(await target.operator.findUser(username)).toBeUndefined();
    expect((await runCommand(args, {})).code).toBe(0);
  });
});

/** Mounts a disk of some megabytes; only root may. */
function mountDisk(megabytes: number): string | undefined {
  const folder = temporaryFolder();
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", folder], { stdio: "ignore" });
  } catch {
    return undefined;
  }
  onTestFinished(() => void execFileSync("umount", ["-l", folder]));
  return folder;
}

/** The files that other programs write to a disk. */
function fillDisk(disk: string): void {
  for (const size of [65_536, 4096]) {
    try {
      for (;;) appendFileSync(path.join(disk, "other"), Buffer.alloc(size));
    } catch {}
  }
}

test("a database on a disk without any space opens, counts, reads and deletes, and its process does not end", async ({
  skip,
}) => {
  const disk = mountDisk(8);
  if (disk === undefined) return skip("this user cannot mount a disk");
  const folder = path.join(disk, "data");
  mkdirSync(folder);
  const database = Database.open(folder);
  database.keepReserve();
  let hasFailed = false;
  void database.failure.then(() => {
    hasFailed = true;
  });
  let number = 0;
  const value = "x".repeat(2000);
  const addSome = () => {
    for (let i = 0; i < 50; i++)
      database.run("INSERT INTO settings VALUES (:name, :value)", { name: `n${number++}`, value });
  };
  const fill = async () => {
    for (;;) await database.save(addSome);
  };
  // The service refuses calls that add data below the reserve, so the ballast is complete when another program fills
  // the disk.
  database.onlyAdds = true;
  await expect(fill()).rejects.toThrow(ServiceError);
  expect(database.isDiskFull).toBe(true);
  await database.close();
  // Another program takes the space that the log has freed.
  fillDisk(disk);
  const again = Database.open(folder);
  onTestFinished(() => again.close());
  again.keepReserve();
  expect(Number(again.get("SELECT count(*) AS n FROM settings")?.n)).toBeGreaterThan(5);
  await again.save(() => again.run("DELETE FROM settings WHERE name = 'n1'"));
  expect(
    await again.write(() => again.run("UPDATE settings SET value = 'y' WHERE name = 'n2'"), { mayBeLost: true }),
  ).toBe(1);
  expect(again.isDiskFull).toBe(true);
  again.emptyLog();
  expect(hasFailed).toBe(false);
});

test("a disk that other programs fill at every start never keeps a database from deleting", async ({ skip }) => {
  const disk = mountDisk(4);
  if (disk === undefined) return skip("this user cannot mount a disk");
  const folder = path.join(disk, "data");
  mkdirSync(folder);
  for (let start = 0; start < 8; start++) {
    const database = Database.open(folder);
    database.emptyLog();
    database.keepReserve();
    await database.save(() => database.run("INSERT OR REPLACE INTO settings VALUES ('name', 'value')"));
    fillDisk(disk);
    await database.save(() => database.run("DELETE FROM settings"));
    await database.close();
    fillDisk(disk);
  }
});
