// SPDX-License-Identifier: MIT

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { mockPulumi } from "../mock-pulumi.ts";

/**
 * Replaces Pulumi's command line for `sst deploy`: runs the program that SST has bundled with mocks of the account, so that
 * SST builds and packs each function as it does for a real one. Writes the file `deployed` if the program ends well.
 */
const [command, subcommand, stack = ""] = process.argv.slice(2);
const platform = path.join(import.meta.dirname, "../../../.sst/platform");
if (command === "version") {
  const { dependencies } = JSON.parse(readFileSync(path.join(platform, "package.json"), "utf8"));
  console.log(dependencies["@pulumi/pulumi"]);
}
const work = process.cwd();
if (command === "stack" && subcommand === "init") {
  const [, project = "", name = ""] = stack.split("/");
  const folder = path.join(work, ".pulumi/stacks", project);
  mkdirSync(folder, { recursive: true });
  const manifest = { time: new Date().toISOString(), magic: "", version: "" };
  const state = { version: 3, checkpoint: { stack, latest: { manifest, resources: [] } } };
  writeFileSync(path.join(folder, `${name}.json`), JSON.stringify(state));
}
if (command === "up") {
  const [, main = ""] = /main:\s*(\S+)/.exec(readFileSync("Pulumi.yaml", "utf8")) ?? [];
  const root = path.resolve(main.slice(0, main.indexOf("/.sst/")));
  const pulumi = createRequire(path.join(platform, "package.json"))("@pulumi/pulumi");
  await mockPulumi(pulumi);
  await pulumi.runtime.runInPulumiStack(async () => (await import(pathToFileURL(main).href)).default);
  await pulumi.runtime.disconnect();
  writeFileSync(path.join(root, "deployed"), "");
}
