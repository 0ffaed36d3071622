// SPDX-License-Identifier: MIT

import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";

/** The code of the error that `work` throws. */
function codeOf(work: () => unknown): string {
  try {
    work();
    return "none";
  } catch (error) {
    return (error as { code?: string }).code ?? "unknown";
  }
}

process.on("message", () =>
  process.send?.({
    result: {
      // Node itself sets the channel to its parent.
      environment: Object.keys(process.env).filter((name) => !name.startsWith("NODE_CHANNEL")),
      passwd: codeOf(() => readFileSync("/etc/passwd")),
      write: codeOf(() => writeFileSync("/tmp/prying-worker", "")),
      child: codeOf(() => spawnSync("true")),
    },
  }),
);
process.send?.("ready");
