// SPDX-License-Identifier: MIT

import { chmodSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import { runCommand } from "@reading-list/testing/command-line.ts";
import { start, untilReady } from "@reading-list/testing/started-service.ts";
import { temporaryFolder } from "@reading-list/testing/temporary-folder.ts";
import { startInProcess, startTestService } from "@reading-list/testing/test-service.ts";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";

let dataDir: string;
beforeEach(() => {
  dataDir = path.join(temporaryFolder(), "data");
});

const startHere = () => startInProcess({ DATA_DIR: dataDir });

/** The permissions of the data folder and of everything in it, by name. */
function modes(): Record<string, string> {
  const names = [".", ...readdirSync(dataDir, { recursive: true }).map(String)];
  return Object.fromEntries(
    names.map((name) => [name, (statSync(path.join(dataDir, name)).mode & 0o777).toString(8)] as const),
  );
}

const arePrivate = (found: Record<string, string>) =>
  Object.entries(found).every(([name, mode]) => mode === ([".", "texts"].includes(name) ? "700" : "600"));

describe("the data folder", () => {
  test("is readable only by its owner, while the service runs and afterwards", async () => {
    const { stop } = await startHere();
    expect(modes()).toSatisfy(arePrivate);
    await stop();
    expect(modes()).toSatisfy(arePrivate);
  });

  test("is made private at the start if everyone can read it", async () => {
    await (await startHere()).stop();
    for (const name of readdirSync(dataDir, { withFileTypes: true })) {
      if (name.isFile()) chmodSync(path.join(dataDir, name.name), 0o644);
    }
    chmodSync(dataDir, 0o755);
    await startHere();
    expect(modes()).toSatisfy(arePrivate);
  });

  test("has one service at a time: a second one is refused, until the first has ended, also by SIGKILL", async () => {
    const begin = () => {
      const started = start({ DATA_DIR: dataDir });
      onTestFinished(() => void started.process.kill("SIGKILL"));
      return started;
    };
    const first = begin();
    await untilReady(first);
    const second = begin();
    expect(await second.ended).toBe(1);
    expect(second.output()).toBe(
      `DATA_DIR ${dataDir} is in use by another service; stop it, or choose another folder\n`,
    );
    expect((await runCommand(["users", "create", "ann"], { DATA_DIR: dataDir }, "opensesame-9\n")).code).toBe(0);
    first.process.kill("SIGKILL");
    await first.ended;
    await untilReady(begin());
  });

  test("has one service at a time also in one process", async () => {
    const { stop } = await startHere();
    await expect(startHere()).rejects.toThrow("is in use by another service");
    await expect(startHere()).rejects.toThrow("is in use by another service");
    await stop();
    await startHere();
  });

  test.each([
    ["NFS", 0x6969],
    ["SMB", 0xff534d42],
    ["SMB", 0xfe534d42],
    ["SMB", 0x517b],
  ])("is refused on %s (%i), unless NETWORK_DATA_DIR=allowed", async (name, fileSystem) => {
    const measureDisk = () => ({ size: 1e12, free: 1e11, fileSystem });
    const begin = (env: Record<string, string>) => startTestService({ DATA_DIR: dataDir, ...env }, { measureDisk });
    await expect(begin({})).rejects.toThrow(`DATA_DIR ${dataDir} is on ${name}, where file locks`);
    await begin({ NETWORK_DATA_DIR: "allowed" });
  });
});
