// SPDX-License-Identifier: MIT

import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { temporaryFolder } from "@reading-list/testing/temporary-folder.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, expect, test } from "vitest";

const run = promisify(execFile);
const isMissing = (command: string) =>
  run(command, ["--version"]).then(
    () => false,
    () => true,
  );

let service: TestService;
const folder = temporaryFolder();
beforeAll(async () => {
  service = await startTestService();
});

test.each([
  ["sh", "sh", "curl"],
  ["ts", process.execPath, process.execPath],
  ["python", "python3", "python3"],
])("the first call in %s of docs/clients.md prints the page that it saved", async (language, command, needed) => {
  if (await isMissing(needed)) return console.warn(`SKIPPED: the first call in ${language}, as there is no ${needed}`);
  const guide = await readFile("docs/clients.md", "utf8");
  const [, code = ""] = new RegExp(`\`\`\`${language}\n(.+?)\`\`\``, "s").exec(guide) ?? [];
  expect(code.trim().split("\n").length).toBeLessThanOrEqual(12);
  const file = path.join(folder, `first.${language === "ts" ? "mts" : language}`);
  await writeFile(
    file,
    code.replace("http://127.0.0.1:3000", service.baseUrl).replace("local-dev-key", service.apiKey),
  );
  const { stdout } = await run(command, [file]);
  expect(stdout).toContain("https://example.com/?a=1&b=2");
  expect(stdout).toContain("An example");
});
