// SPDX-License-Identifier: MIT

import { chmodSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import { temporaryFolder } from "@reading-list/testing/temporary-folder.ts";
import { startInProcess } from "@reading-list/testing/test-service.ts";
import { beforeEach, describe, expect, test } from "vitest";

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
});
