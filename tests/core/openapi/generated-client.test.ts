import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { methods } from "@reading-list/core/contract/endpoint.ts";
import { articlePage, page } from "@reading-list/testing/page-server.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { afterAll, beforeAll, expect, test } from "vitest";

/** A workspace of its own, as the generator needs TypeScript 5. */
const folder = fileURLToPath(new URL("../../generated-client/", import.meta.url));

/** Runs a program in the folder; gives its output, and throws it if the program fails. */
async function run(...command: string[]): Promise<string> {
  const child = spawn(process.execPath, command, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(output);
  return output;
}

const pages = createServer(page(articlePage));
let service: TestService;
let pageUrl: string;

beforeAll(async () => {
  await once(pages.listen(0, "127.0.0.1"), "listening");
  pageUrl = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
  service = await startTestService({ TEXT_ALLOWED_ORIGINS: pageUrl });
});
afterAll(() => pages.close());

test("a client that openapi-typescript generates from docs/openapi.json compiles, and makes calls of each kind", async () => {
  await run("node_modules/.bin/openapi-typescript", "../../docs/openapi.json", "-o", "schema.ts");
  await run("node_modules/typescript/bin/tsc", "-p", ".");
  const output = await run("program.ts", service.baseUrl, service.textUrl, `${pageUrl}/`, service.apiKey);
  const calls = methods.flatMap((method) =>
    ["signup", "add", "send", "get", "text"].map((name) => `${method} ${name}`),
  );
  expect(output.trim().split("\n").sort()).toEqual(calls.sort());
}, 180_000);
