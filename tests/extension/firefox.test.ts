// SPDX-License-Identifier: MIT

import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { ReadingListClient } from "@reading-list/client/main.ts";
import { buildExtension } from "@reading-list/extension/build.ts";
import manifest from "@reading-list/extension/source/manifest.json" with { type: "json" };
import { atEndOfFile } from "@reading-list/testing/end-of-file.ts";
import { firefoxFor } from "@reading-list/testing/find-browser.ts";
import {
  type FirefoxTab,
  type FirefoxWithExtension,
  launchFirefoxWithExtension,
} from "@reading-list/testing/firefox.ts";
import { type PageServer, prose, startPageServer } from "@reading-list/testing/page-server.ts";
import { temporaryFolder } from "@reading-list/testing/temporary-folder.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { membersPage, type RecordedTexts, recordTexts, secrets } from "./recorded-texts.ts";

let folder: string;

/** Milliseconds: Firefox, its tabs and the linter start slowly on a busy machine. */
const slowMs = 180_000;

beforeAll(async () => {
  folder = temporaryFolder();
  await buildExtension(folder, { isForFirefox: true });
});

test(
  "the build for Firefox has nothing that the linter of its store objects to",
  () => {
    const linter = fileURLToPath(new URL("../bin/addons-linter", import.meta.resolve("addons-linter")));
    const report = JSON.parse(
      execFileSync(process.execPath, [linter, "--output=json", "--self-hosted", folder], { encoding: "utf8" }),
    );
    expect(report.summary).toMatchObject({ errors: 0, warnings: 0 });
  },
  slowMs,
);

describe.skipIf(!firefoxFor("the browser extension in Firefox"))("the browser extension in Firefox", () => {
  let firefox: FirefoxWithExtension;
  let options: FirefoxTab;
  let pages: PageServer;
  let texts: RecordedTexts;
  let client: ReadingListClient;
  let service: TestService;
  let credentials: Awaited<ReturnType<TestService["newUser"]>>["credentials"];

  beforeAll(async () => {
    pages = await startPages();
    service = await startTestService({ TEXT_ALLOWED_ORIGINS: pages.origin });
    ({ credentials } = await service.newUser());
    const { baseUrl, textUrl, apiKey } = service;
    texts = await recordTexts(() => textUrl);
    atEndOfFile(texts.stop);
    firefox = await launchFirefoxWithExtension(folder, manifest.browser_specific_settings.gecko.id);
    options = await firefox.open(`${firefox.origin}/options.html`);
    const outcome = () => options.evaluate('document.getElementById("outcome").textContent');
    const save = async (account: Record<string, string>) => {
      for (const [name, value] of Object.entries(account)) {
        await options.evaluate(`document.getElementById("${name}").value = ${JSON.stringify(value)}`);
      }
      await options.evaluate('document.getElementById("outcome").textContent = ""');
      await options.click("#account [type=submit]");
      const isStored = async () => (await outcome()) === "The account works: 0 unread, 0 in total";
      await vi.waitUntil(isStored, { timeout: slowMs });
    };
    // The settings at this address contain the API key and the address of the text view.
    await save({ baseUrl, ...credentials });
    await save({ textUrl: texts.origin });
    client = new ReadingListClient({ baseUrl, textUrl, apiKey, ...credentials });
  }, slowMs);

  test(
    "saves the pages of all tabs",
    async () => {
      await firefox.open(`${pages.origin}/first`);
      await firefox.open(`${pages.origin}/second`);
      const popup = await firefox.open(`${firefox.origin}/popup.html`);
      await popup.click("#tabs");
      const state = () => popup.evaluate('document.getElementById("state").textContent');
      await expect.poll(state, { timeout: slowMs }).toBe("Tabs saved: 2");
      const { items } = await client.get();
      expect(items.map(({ url, title }) => [url, title])).toEqual([
        [`${pages.origin}/first`, "The harbour is open"],
        [`${pages.origin}/second`, "The harbour is open"],
      ]);
    },
    slowMs,
  );

  test(
    "keeps a page behind a login as the user sees it",
    async () => {
      const url = `${pages.origin}/members`;
      await firefox.open(`${pages.origin}/log-in`);
      await firefox.open(url);
      await firefox.clickButton(url);
      const state = () =>
        options.evaluate(
          'chrome.extension.getViews({ type: "popup" })[0]?.document.getElementById("state").textContent ?? ""',
        );
      await expect.poll(state, { timeout: slowMs }).toBe("Saved, with the page as you see it");
      const [asked, sent = ""] = texts.pages;
      expect(asked).toBeUndefined();
      expect(sent).not.toMatch(secrets);
      expect((await client.article(url)).html).toContain("the harbour has a secret entrance");
      // The popup's field of tags is the reader's, whose framework the linter accepts only without `innerHTML`.
      const typed = `const popup = chrome.extension.getViews({ type: "popup" })[0];
        const field = popup.document.querySelector("#tags input");
        field.value = "harbour,";
        field.dispatchEvent(new popup.Event("input", { bubbles: true }));`;
      const chips = '[...popup.document.querySelectorAll("#tags .tag")].map(({ textContent }) => textContent)';
      await options.evaluate(`(() => { ${typed} })()`);
      const tags = () =>
        options.evaluate(
          `(() => { const popup = chrome.extension.getViews({ type: "popup" })[0]; return ${chips}; })()`,
        );
      await expect.poll(tags, { timeout: slowMs }).toEqual(["harbour"]);
    },
    slowMs,
  );

  test(
    "signs in as the web reader in a tab offers, if the user confirms it",
    async () => {
      const url = `${pages.origin}/reader/`;
      const { baseUrl, textUrl, apiKey } = service;
      offer = { settings: { baseUrl, textUrl, apiKey }, credentials };
      const inPopup = (expression: string) =>
        options.evaluate(`(() => { const popup = chrome.extension.getViews({ type: "popup" })[0];
          return popup ? ${expression} : "none"; })()`);
      const state = () => inPopup('popup.document.getElementById("state").textContent');
      // A click would only close the popup of the previous test.
      await inPopup("popup.close()");
      await expect.poll(state, { timeout: slowMs }).toBe("none");
      await firefox.open(url);
      await firefox.clickButton(url);
      const { host } = new URL(url);
      await expect.poll(state, { timeout: slowMs }).toBe(`Sign in at ${host} as ${credentials.username}?`);
      await inPopup('popup.document.getElementById("accept").click()');
      await expect.poll(state, { timeout: slowMs }).toBe("Signed in");
      const stored = await options.evaluate("chrome.storage.local.get('account').then(({ account }) => account)");
      expect(stored).toMatchObject({ ...credentials, readerUrl: url, apiKey });
    },
    slowMs,
  );
});

/** The offer of the page at `/reader/`, in the form of the web reader's. */
let offer = { settings: {}, credentials: { username: "", password: "" } };

/** Pages. One of them requires a visit to /log-in first. */
async function startPages(): Promise<PageServer> {
  const pages = await startPageServer((request, response) => {
    if (request.url === "/reader/config.json") return void response.end(JSON.stringify(offer.settings));
    const isRefused = request.url === "/members" && !request.headers.cookie?.includes("member=1");
    const shown: Record<string, string> = {
      "/members": membersPage(prose),
      "/reader/": `<!doctype html><div id="reading-list-offer" data-username="${offer.credentials.username}" data-password="${offer.credentials.password}" data-device="1">`,
    };
    const page = shown[request.url ?? ""] ?? "<!doctype html><title>The harbour is open</title>";
    response.writeHead(isRefused ? 403 : 200, {
      "content-type": "text/html",
      ...(request.url === "/log-in" && { "set-cookie": "member=1" }),
    });
    response.end(isRefused ? "" : page);
  });
  atEndOfFile(pages.stop);
  return pages;
}
