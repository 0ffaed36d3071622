// SPDX-License-Identifier: MIT

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/**
 * Unpacks SST's platform into `.sst/platform` with its packages, only from the npm registry. `sst.config.ts` is checked
 * and evaluated against it. Does nothing if it is there for the installed version and the providers of the config.
 */
const root = new URL("../../", import.meta.url);
const { version } = JSON.parse(readFileSync(new URL("node_modules/sst/package.json", root), "utf8"));
const [, providers] = /providers: (.*)$/m.exec(readFileSync(new URL("sst.config.ts", root), "utf8")) ?? [];
const wanted = `${version} ${providers}`;
// Inside the platform, so that it is deleted when SST unpacks another version.
const stamp = new URL(".sst/platform/installed", root);

if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== wanted) {
  console.log(`Installing the platform of SST ${version} for the stack tests; once, half a minute.`);
  execFileSync(process.execPath, [fileURLToPath(new URL("node_modules/sst/bin/sst.mjs", root)), "install"], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
    env: {
      ...process.env,
      SST_SKIP_DEPENDENCY_CHECK: "true",
      SST_NO_BUN: "1",
      SST_STAGE: "test",
      SST_TELEMETRY_DISABLED: "1",
    },
  });
  writeFileSync(stamp, wanted);
}
