// SPDX-License-Identifier: MIT

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { copyFile, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { buildClient } from "@reading-list/client/build.ts";
import { temporaryFolder } from "@reading-list/testing/temporary-folder.ts";
import { startTestService } from "@reading-list/testing/test-service.ts";
import { build } from "esbuild";
import { beforeAll, describe, expect, test } from "vitest";

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, "../..");
const toolOf = (name: string) => path.join(root, "node_modules/.bin", name);

let folder: string;
let tarball: string;
beforeAll(async () => {
  folder = temporaryFolder();
  await buildClient(path.join(folder, "package"));
  const { stdout } = await run("npm", ["pack", "--json", "./package"], { cwd: folder });
  tarball = path.join(folder, JSON.parse(stdout)[0].filename);
  const installed = path.join(folder, "node_modules/@reading-list/client");
  await mkdir(installed, { recursive: true });
  await run("tar", ["-xf", tarball, "-C", installed, "--strip-components=1"]);
  await symlink(path.join(root, "node_modules/idb"), path.join(folder, "node_modules/idb"));
});

test("publint finds nothing wrong with the package", async () => {
  const { stdout } = await run(toolOf("publint"), ["run", tarball, "--strict"]);
  expect(stdout).toContain("All good!");
});

test("its types are right for every way to import ES modules", async () => {
  const { stdout } = await run(toolOf("attw"), [
    tarball,
    "--profile",
    "esm-only",
    "--format",
    "table",
    "--no-color",
    "--no-emoji",
  ]);
  expect(stdout.match(/│ OK\b/g)).toHaveLength(4);
});

test("its types need no types of Node", async () => {
  const program = `
    import { MemoryStore, ReadingListClient, type Item, type Store } from "@reading-list/client";
    import { IndexedDbStore } from "@reading-list/client/indexeddb";
    const client = new ReadingListClient({ baseUrl: "http://localhost", apiKey: "key" });
    const stores: Store[] = [new MemoryStore(), await IndexedDbStore.open("a")];
    for (const store of stores) for await (const { rejected } of client.sync(store)) rejected satisfies object[];
    export const items: Item[] = (await client.get({ state: "unread" })).items;
  `;
  await writeFile(path.join(folder, "program.ts"), program);
  const compilerOptions = { strict: true, noEmit: true, module: "NodeNext", lib: ["ES2022", "DOM"], types: [] };
  await writeFile(path.join(folder, "package.json"), '{ "type": "module" }');
  await writeFile(path.join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["program.ts"] }));
  await expect(run(toolOf("tsc"), ["-p", folder])).resolves.toMatchObject({ stdout: "" });
});

test("the main entry needs no other package, no Node module, and less than 10 KB when it is minified and compressed", async () => {
  const entry = path.join(folder, "package/main.js");
  const options = { bundle: true, minify: true, format: "esm", platform: "browser", write: false } as const;
  const { outputFiles } = await build({ entryPoints: [entry], ...options });
  const text = outputFiles[0]?.text ?? "";
  expect(text).not.toMatch(/\b(?:import|require)\b/);
  expect(gzipSync(text).length).toBeLessThan(10_000);
});

describe("the examples of the README, in a folder with only the package", async () => {
  const readme = await readFile(path.join(root, "packages/client/README.md"), "utf8");
  const examples = [...readme.matchAll(/^## (.+?)$[^#]*?```js\n(.+?)```/gms)].map(([, name = "", code = ""]) => ({
    name,
    code,
  }));
  // Node 20, the oldest that the package supports, is tried if the machine has it.
  const nodes = [process.execPath, "/usr/bin/node"].filter((node) => existsSync(node));

  test("there are nine", () => {
    expect(examples).toHaveLength(9);
  });

  test.each(nodes)("run on %s", async (node) => {
    const service = await startTestService();
    const printed: Record<string, string> = {};
    const [first] = examples;
    const setUp = first?.code.slice(0, first.code.indexOf("\n\n")) ?? "";
    for (const [i, { name, code }] of examples.entries()) {
      const file = path.join(folder, `${i}.mjs`);
      const program = (i === 0 ? code : `${setUp}\n${code}`)
        .replace("http://127.0.0.1:3000", service.baseUrl)
        .replace("http://127.0.0.1:3001", service.textUrl)
        .replace("local-dev-key", service.apiKey);
      await writeFile(file, program);
      printed[name] = (await run(node, [file], { cwd: folder })).stdout;
    }
    expect(printed).toEqual({
      "First call": expect.stringMatching(/^An example \[ 'later' \] \d{4}-/),
      Highlights: expect.stringMatching(/^1 Where is it\? red\n\{ '[\w-]{36}': \S+ \}\n$/),
      "Many changes": expect.stringMatching(/^4 \{[^}]*countList: 2,/s),
      Search: "0 []\n",
      Tags: "[ 'a', 'b', 'starred' ]\n",
      "A local copy": expect.stringMatching(/^2 0 0\n.*equal\n$/s),
      "Changes without a connection": "true\nfalse\n",
      "Highlights without a connection": "[ [ 'a passage', false ] ]\n",
      "Errors, limits and the text of a page": expect.stringMatching(/^invalid text: .* undefined\n\d+\n$/),
    });
  });
});

test("the exporter of examples writes all highlights as Markdown, by page and in the order of the text", async () => {
  const service = await startTestService();
  const user = await service.newUser();
  const url = "http://example.com/1";
  await user.add(url, { title: "A *page*" });
  const save = [
    { id: "a", url, quote: "last", position: 90, note: "A [note]" },
    { id: "b", url, quote: "first\nline", position: 10 },
  ];
  await user.ok("highlights", { save: JSON.stringify(save) });
  const program = path.join(folder, "highlights-to-markdown.mjs");
  await copyFile(path.join(root, "examples/highlights-to-markdown.mjs"), program);
  const { username, password } = user.credentials;
  const env = { BASE_URL: service.baseUrl, API_KEY: service.apiKey, USERNAME: username, PASSWORD: password };
  const { stdout } = await run(process.execPath, [program], { env });
  expect(stdout).toBe("## [A \\*page\\*](<http://example.com/1>)\n\n> first line\n\n> last\n\nA \\[note\\]\n\n");
});
