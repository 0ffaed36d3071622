// SPDX-License-Identifier: MIT

import { readdirSync, statSync, utimesSync } from "node:fs";
import path from "node:path";
import type { ErasePermit } from "@reading-list/core/domain/clock-check.ts";
import type { CachedText } from "@reading-list/core/ports/pages.ts";
import { createFolderTextCache } from "@reading-list/local/folder-text-cache.ts";
import { permitAt } from "@reading-list/testing/permit-at.ts";
import { temporaryFolder } from "@reading-list/testing/temporary-folder.ts";
import { beforeEach, describe, expect, test } from "vitest";

let folder: string;
beforeEach(() => {
  folder = path.join(temporaryFolder(), "texts");
});

const textOf = (characters: number): CachedText => ({
  view: {
    html: "x".repeat(characters),
    title: "",
    resolvedUrl: "http://example.com/",
    nextUrl: undefined,
    loginFound: false,
  },
  freshUntil: 0,
});

const modeOf = (file: string) => statSync(file).mode & 0o777;

/** Bytes on disk of all files. */
const usage = () =>
  readdirSync(folder)
    .map((name) => statSync(path.join(folder, name)).blocks * 512)
    .reduce((sum, size) => sum + size, 0);

/** Sets the time of a file's last change, `seconds` ago. */
function setAge(name: string, seconds: number): void {
  const time = Date.now() / 1000 - seconds;
  utimesSync(path.join(folder, name), time, time);
}

const open = (limit?: number, findPermit = () => permitAt(Date.now() / 1000) as ErasePermit | undefined) =>
  createFolderTextCache(folder, { limit, findPermit });

describe("the text cache of a folder", () => {
  test("never exceeds its limit on disk, and evicts the oldest texts", async () => {
    const limit = 100_000;
    const cache = open(limit);
    for (let i = 0; i < 30; i++) {
      await cache.keep(`text-${i}`, textOf(7000));
      setAge(`text-${i}`, 1000 - i);
      expect(usage()).toBeLessThanOrEqual(limit);
    }
    expect(await cache.find("text-0")).toBeUndefined();
    expect((await cache.find("text-29"))?.view.html).toHaveLength(7000);
    expect(usage()).toBeGreaterThan(0.8 * limit);
  });

  test("counts texts that an earlier process has cached", async () => {
    const before = open();
    for (let i = 0; i < 5; i++) await before.keep(`before-${i}`, textOf(7000));
    open(20_000);
    expect(usage()).toBeLessThanOrEqual(20_000);
    expect(usage()).toBeGreaterThan(0);
  });

  test("uses no more space if a text is replaced repeatedly", async () => {
    const cache = open(50_000);
    await cache.keep("stays", textOf(7000));
    for (let i = 0; i < 50; i++) await cache.keep("replaced", textOf(7000));
    expect(await cache.find("stays")).toBeDefined();
  });

  test("removes texts older than 7 days at the start, unless the clock is implausible", async () => {
    await open().keep("old", textOf(1));
    setAge("old", 8 * 86_400);
    expect(await open(undefined, () => undefined).find("old")).toBeDefined();
    expect(await open().find("old")).toBeUndefined();
  });

  test("is readable only by its owner", async () => {
    await open().keep("new", textOf(1));
    expect([folder, path.join(folder, "new")].map(modeOf)).toEqual([0o700, 0o600]);
  });
});
