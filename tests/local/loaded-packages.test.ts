// SPDX-License-Identifier: MIT

import { readFileSync } from "node:fs";
import path from "node:path";
import { start, untilReady } from "@reading-list/testing/started-service.ts";
import { temporaryFolder } from "@reading-list/testing/temporary-folder.ts";
import { expect, onTestFinished, test } from "vitest";

/** The packages that a service on SQLite needs before its first call. Load any other one where it is first used, with `import()`. */
const loadedAtStart = [
  "@middy/core",
  "@middy/http-urlencode-body-parser",
  "@middy/util",
  "content-type",
  "dom-serializer",
  "domelementtype",
  "domhandler",
  "domutils",
  "entities",
  "htmlparser2",
  "ipaddr.js",
  "lru-cache",
  "negotiator",
  "smol-toml",
  "zod",
];

/** Writes the addresses of the modules of the main thread into the file `LOADED` when the process ends. */
const recordModules = `
  import { writeFileSync } from "node:fs";
  import { registerHooks } from "node:module";
  import { isMainThread } from "node:worker_threads";
  const urls = [];
  registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) });
  if (isMainThread) process.on("exit", () => writeFileSync(process.env.LOADED, JSON.stringify(urls)));
`;

test("a start loads no package that the first call does not need", async () => {
  const folder = temporaryFolder();
  const LOADED = path.join(folder, "loaded.json");
  const hook = `data:text/javascript,${encodeURIComponent(recordModules)}`;
  const started = start({ DATA_DIR: folder, LOADED }, [process.execPath, "--import", hook, "packages/local/main.ts"]);
  onTestFinished(() => void started.process.kill("SIGKILL"));
  await untilReady(started);
  started.process.kill("SIGTERM");
  await started.ended;
  const urls: string[] = JSON.parse(readFileSync(LOADED, "utf8"));
  const names = urls.flatMap((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? []);
  expect([...new Set(names)].sort()).toEqual(loadedAtStart);
});
