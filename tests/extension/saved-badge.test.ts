// SPDX-License-Identifier: MIT

import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { ReadingListClient } from "@reading-list/client/main.ts";
import { buildExtension } from "@reading-list/extension/build.ts";
import manifest from "@reading-list/extension/source/manifest.json" with { type: "json" };
import { launchWithExtension } from "@reading-list/testing/browser.ts";
import { atEndOfFile } from "@reading-list/testing/end-of-file.ts";
import { chromiumFor, firefoxFor } from "@reading-list/testing/find-browser.ts";
import { launchFirefoxWithExtension } from "@reading-list/testing/firefox.ts";
import { startPageServer } from "@reading-list/testing/page-server.ts";
import { temporaryFolder } from "@reading-list/testing/temporary-folder.ts";
import { startTestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, describe, expect, test } from "vitest";

/** Milliseconds: browsers start slowly on a busy machine. */
const slowMs = 180_000;

/** A page of the extension, and a tab of the web. */
interface Browser {
  evaluate<T>(expression: string): Promise<T>;
  clickSwitch(): Promise<void>;
  visit(url: string): Promise<void>;
}

async function launchChromium(): Promise<Browser> {
  const folder = temporaryFolder();
  await buildExtension(folder);
  // A headless browser has nobody to ask.
  const file = path.join(folder, "manifest.json");
  const built = JSON.parse(await readFile(file, "utf8"));
  const granted = { permissions: [...built.permissions, "tabs"], host_permissions: ["http://127.0.0.1/*"] };
  await writeFile(file, JSON.stringify({ ...built, ...granted }));
  const { context, origin } = await launchWithExtension(folder);
  const options = await context.newPage();
  await options.goto(`${origin}/options.html`);
  const tab = await context.newPage();
  return {
    evaluate: (expression) => options.evaluate(expression),
    clickSwitch: () => options.locator("#shows-saved").click(),
    visit: async (url) => void (await tab.goto(url)),
  };
}

async function launchFirefox(): Promise<Browser> {
  const folder = temporaryFolder();
  await buildExtension(folder, { isForFirefox: true });
  const firefox = await launchFirefoxWithExtension(folder, manifest.browser_specific_settings.gecko.id);
  const options = await firefox.open(`${firefox.origin}/options.html`);
  return {
    evaluate: (expression) => options.evaluate(expression),
    clickSwitch: () => options.click("#shows-saved"),
    visit: async (url) => void (await firefox.open(url)),
  };
}

const browsers = [
  ["Chromium", chromiumFor, launchChromium],
  ["Firefox", firefoxFor, launchFirefox],
] as const;

describe.each(browsers)("the extension in %s", (name, find, launch) => {
  if (!find(`the mark on saved pages in ${name}`)) return;
  let browser: Browser;
  let client: ReadingListClient;
  let origin: string;

  beforeAll(async () => {
    const pages = await startPageServer((_request, response) => {
      response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><title>A page</title>");
    });
    atEndOfFile(pages.stop);
    ({ origin } = pages);
    const service = await startTestService({ TEXT_ALLOWED_ORIGINS: origin });
    const { baseUrl, textUrl, apiKey } = service;
    const { credentials } = await service.newUser();
    client = new ReadingListClient({ baseUrl, textUrl, apiKey, ...credentials });
    browser = await launch();
    const account = JSON.stringify({ baseUrl, apiKey, ...credentials, id: "1" });
    await browser.evaluate(`chrome.storage.local.set({ account: ${account} })`);
  }, slowMs);

  const at = (path: string) => `${origin}/${path}`;
  const callsLeft = async () => (await client.api())?.key.remaining ?? Number.NaN;
  const databases = () =>
    browser.evaluate<string[]>("indexedDB.databases().then((all) => all.map(({ name }) => name))");
  const badgeOf = (url: string) =>
    browser.evaluate<string>(`chrome.tabs.query({}).then(async (tabs) => {
      const tab = tabs.find((each) => each.url === ${JSON.stringify(url)});
      return tab ? chrome.action.getBadgeText({ tabId: tab.id }) : "no tab";
    })`);
  const shows = (url: string, badge: string) => expect.poll(() => badgeOf(url), { timeout: slowMs }).toBe(badge);

  test(
    "a save by the popup asks the service once whether the page is in the list",
    async () => {
      const before = await callsLeft();
      const request = JSON.stringify({ save: at("once"), title: "Once" });
      await browser.evaluate(`chrome.runtime.sendMessage(${request})`);
      // `get` and `send`.
      expect(before - (await callsLeft())).toBe(2);
      expect((await client.get({ url: at("once") })).items.map(({ title }) => title)).toEqual(["Once"]);
      await client.send([{ kind: "delete", url: at("once") }]);
    },
    slowMs,
  );

  test(
    "tabs of saved pages are marked once the user has switched it on, and no visit leaves the device",
    async () => {
      await client.add(at("saved"));
      await client.add(at("tracked?utm_source=feed"));
      // Off by default.
      expect(await browser.evaluate('document.getElementById("shows-saved").checked')).toBe(false);
      await browser.visit(at("saved"));
      expect(await databases()).not.toContain("saved-ids");

      await browser.clickSwitch();
      const state = () => browser.evaluate('document.getElementById("saved-state").textContent');
      await expect.poll(state, { timeout: slowMs }).toBe("Pages on this computer: 2 (1 kB)");

      const before = await callsLeft();
      await browser.visit(at("saved?utm_source=mail"));
      await shows(at("saved?utm_source=mail"), "✓");
      await browser.visit(at("tracked?utm_source=feed"));
      await shows(at("tracked?utm_source=feed"), "✓");
      await browser.visit(at("other"));
      await shows(at("other"), "");
      await browser.visit(at("tracked"));
      await shows(at("tracked"), "");
      expect(await callsLeft()).toBe(before);

      // Changes of other devices come with the next sync.
      await client.add(at("later"));
      await client.send([{ kind: "delete", url: at("saved") }]);
      await browser.evaluate('chrome.runtime.sendMessage("send")');
      const visitLater = async () => {
        await browser.visit(at("later"));
        return badgeOf(at("later"));
      };
      await expect.poll(visitLater, { timeout: slowMs }).toBe("✓");
      await browser.visit(at("saved?utm_medium=x"));
      await shows(at("saved?utm_medium=x"), "");

      await browser.clickSwitch();
      await expect.poll(databases, { timeout: slowMs }).not.toContain("saved-ids");
    },
    slowMs,
  );
});
