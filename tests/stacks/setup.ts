// SPDX-License-Identifier: MIT

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { packageSharp } from "../../stacks/sharp.ts";

/**
 * Installs SST's platform, so that the suites of the stacks also run before the first `npm run check`, and makes the
 * folder of the packages that they share.
 */
export async function setup() {
  await import("./install-platform.ts");
  // An evaluation finds them made; its environment does not contain the path of npm.
  for (const processor of ["arm64", process.arch]) packageSharp(process.cwd(), processor);
  const shared = mkdtempSync(path.join(tmpdir(), "shared-packages-"));
  process.env.SHARED_PACKAGES = shared;
  return () => rmSync(shared, { recursive: true });
}
