// SPDX-License-Identifier: MIT

import { execFileSync, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { page, servePages } from "@reading-list/testing/page-server.ts";
import { temporaryFolder } from "@reading-list/testing/temporary-folder.ts";
import { writePdf } from "@reading-list/testing/write-pdf.ts";
import { expect, onTestFinished, test } from "vitest";
import { composeOf } from "../../tools/release/compose.ts";
import { copy, writeProgramHere } from "./program-here.ts";

test("the program of a release serves API, reference and web reader, reads pages, and has the command line, without a package of development", async () => {
  const folder = path.join(temporaryFolder(), "program");
  await writeProgramHere(folder, copy);
  const pdf = writePdf([[{ text: "\x93\xfa\x96\x7b\x8c\xea", y: 700, font: "F3" }]]);
  const pages = await servePages(page(pdf, { "content-type": "application/pdf" }));
  const environment = { ...process.env, DATA_DIR: path.join(folder, "data"), PORT: "0", TEXT_PORT: "0" };
  const server = spawn(process.execPath, ["packages/local/main.ts"], {
    cwd: folder,
    env: { ...environment, TEXT_ALLOWED_ORIGINS: pages },
  });
  onTestFinished(() => void server.kill());
  const urls: string[] = [];
  for await (const line of createInterface(server.stdout)) {
    urls.push(/https?:\S+/.exec(line)?.[0] ?? "");
    if (urls.length === 4) break;
  }
  const [base = "", text = "", , reader = ""] = urls;
  const html = await (await fetch(reader)).text();
  const files = [...html.matchAll(/(?:src|href)="([^"#]+)"/g)].map(([, name = ""]) => new URL(name, reader).href);
  expect(files.length).toBeGreaterThan(3);
  const others = [
    "/health",
    "/",
    "/reference/",
    "/openapi.json",
    "/reference/swagger-ui.css",
    "/reference/swagger-ui-bundle.js",
  ];
  for (const url of [...files, `${reader}service-worker.js`, ...others.map((name) => base + name)]) {
    expect([url, (await fetch(url)).status]).toEqual([url, 200]);
  }
  const form = { apikey: "local-dev-key", username: "ann", password: "secret" };
  const call = async (url: string, more = {}) =>
    (await fetch(url, { method: "POST", body: new URLSearchParams({ ...form, ...more }) })).text();
  expect(await call(`${base}/v2/signup`)).toBe("200 OK");
  const url = "https://example.com/";
  expect(await call(`${base}/v2/add`, { url })).toBe("200 OK");
  const article =
    "<article><h1>Title</h1><p>A paragraph that is long enough to be one, with a second clause.</p></article>";
  expect(await call(`${text}/v2/article`, { url, html: article })).toContain("A paragraph that is long enough");
  expect(await call(`${text}/v2/text`, { url: `${pages}/a.pdf` })).toBe("<p>日本語</p>");
  const users = execFileSync(process.execPath, ["packages/ops/readinglist.js", "users", "list"], {
    cwd: folder,
    env: environment,
  });
  expect(String(users)).toContain("ann");
});

test("compose.yaml of a release names the image by its digest, and otherwise equals the repository's", () => {
  const image = `ghcr.io/someone/reading-list@sha256:${"0".repeat(64)}`;
  const source = readFileSync("compose.yaml", "utf8");
  expect(composeOf(image, source).split("\n")).toEqual(
    source
      .split("\n")
      .filter((line) => line.trim() !== "build: .")
      .map((line) => line.replace("image: reading-list", `image: ${image}`)),
  );
  expect(() => composeOf(image, "services: {}")).toThrow("compose.yaml");
});

test("every command that the release workflow runs is a script of the repository or a command of the release", () => {
  const workflow = readFileSync(".github/workflows/release.yml", "utf8");
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8"));
  const names = [...workflow.matchAll(/npm run (?:--silent )?([\w:]+)/g)].map(([, name]) => name);
  expect(names.length).toBeGreaterThan(2);
  expect(names.filter((name) => !((name as string) in scripts))).toEqual([]);
  const main = readFileSync("tools/release/main.ts", "utf8");
  for (const [, command] of workflow.matchAll(/npm run (?:--silent )?release (?:-- )?(\w+)/g)) {
    expect(main).toContain(`case "${command}":`);
  }
});
