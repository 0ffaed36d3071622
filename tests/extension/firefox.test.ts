import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { ReadingListClient } from "@reading-list/client/main.ts";
import { buildExtension } from "@reading-list/extension/build.ts";
import manifest from "@reading-list/extension/source/manifest.json" with { type: "json" };
import { atEndOfFile } from "@reading-list/testing/end-of-file.ts";
import { firefoxFor } from "@reading-list/testing/find-browser.ts";
import { launchFirefoxWithExtension } from "@reading-list/testing/firefox.ts";
import { page as pageOf, servePages } from "@reading-list/testing/page-server.ts";
import { startTestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, describe, expect, test } from "vitest";

describe("the browser extension in Firefox", () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "extension-"));
    atEndOfFile(() => rm(folder, { recursive: true }));
    await buildExtension(folder, { isForFirefox: true });
  });

  test("has nothing that the linter of its store objects to", () => {
    const linter = fileURLToPath(new URL("../bin/addons-linter", import.meta.resolve("addons-linter")));
    const report = JSON.parse(
      execFileSync(process.execPath, [linter, "--output=json", "--self-hosted", folder], { encoding: "utf8" }),
    );
    expect(report.summary).toMatchObject({ errors: 0, warnings: 0 });
  });

  test.skipIf(!firefoxFor("the browser extension in Firefox"))("saves the pages of all tabs", async () => {
    const service = await startTestService();
    const { credentials } = await service.newUser();
    const { baseUrl, apiKey } = service;
    const origin = await servePages(pageOf("<!doctype html><title>The harbour is open</title>"));
    const firefox = await launchFirefoxWithExtension(folder, manifest.browser_specific_settings.gecko.id);

    const options = await firefox.open(`${firefox.origin}/options.html`);
    const account = { baseUrl, apiKey, ...credentials };
    for (const [name, value] of Object.entries(account)) {
      await options.evaluate(`document.getElementById("${name}").value = ${JSON.stringify(value)}`);
    }
    await options.click("#account [type=submit]");
    const outcome = () => options.evaluate('document.getElementById("outcome").textContent');
    await expect.poll(outcome).toBe("The account works: 0 unread, 0 in all");

    await firefox.open(`${origin}/first`);
    await firefox.open(`${origin}/second`);
    const popup = await firefox.open(`${firefox.origin}/popup.html`);
    await popup.click("#tabs");
    const state = () => popup.evaluate('document.getElementById("state").textContent');
    await expect.poll(state).toBe("Tabs saved: 2");
    const { items } = await new ReadingListClient(account).get();
    expect(items.map(({ url, title }) => [url, title])).toEqual([
      [`${origin}/first`, "The harbour is open"],
      [`${origin}/second`, "The harbour is open"],
    ]);
  });
});
