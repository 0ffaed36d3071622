// SPDX-License-Identifier: MIT

import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { type Browser, type BrowserContext, chromium, type Page, type Worker } from "playwright-core";
import { firefox } from "playwright-core-bidi";
import { vi } from "vitest";
import { atEndOfFile } from "./end-of-file.ts";
import { findChromium, findFirefox } from "./find-browser.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const executablePath = findChromium() ?? "";
/** A name of this machine that no browser takes for a loopback name: other devices could open it. */
export const networkName = "list.home.arpa";

// No other name resolves: a page can request what it wants, and reaches nothing but this machine.
const rules = `MAP ${networkName} 127.0.0.1 , MAP * ~NOTFOUND , EXCLUDE 127.0.0.1 , EXCLUDE localhost`;
const args = ["--no-sandbox", "--disable-dev-shm-usage", `--host-resolver-rules=${rules}`];

/** Pointers of Firefox. */
const coarse = 1;
const fineThatHovers = 2 | 4;

/** The same of Chromium: a machine without a mouse has no pointer. */
const mouseSettings = "primaryPointerType=4,availablePointerTypes=4,primaryHoverType=2,availableHoverTypes=2";

/** Milliseconds that a browser waits for the page: below those of a test, and more than a busy machine takes. */
export const patientMs = 100_000;

/** `BROWSER=firefox` runs the suites of the web reader in Firefox. */
export const isFirefox = process.env.BROWSER === "firefox";

/** Where Firefox writes downloads. */
let downloads = "";

/**
 * Firefox by WebDriver BiDi. Newer versions of Playwright than this one call `emulation.setMediaFeaturesOverride`, which
 * Firefox ESR does not have: it cannot emulate colour schemes.
 */
async function launchFirefox(fontSize: number, isTouched: boolean): Promise<Browser> {
  downloads = temporaryFolder();
  const pointer = isTouched ? coarse : fineThatHovers;
  const launched = await firefox.launch({
    executablePath: findFirefox() ?? "",
    channel: "moz-firefox",
    downloadsPath: downloads,
    firefoxUserPrefs: {
      "font.size.variable.x-western": fontSize,
      "network.dns.localDomains": networkName,
      // Playwright does not change its pointer.
      "ui.primaryPointerCapabilities": pointer,
      "ui.allPointerCapabilities": pointer,
    },
  });
  return launched as unknown as Browser;
}

/** The file that a page downloads after `start`. */
export async function downloadOf(page: Page, start: () => Promise<void>): Promise<{ name: string; text: string }> {
  if (isFirefox) {
    const before = new Set(await readdir(downloads));
    await start();
    // Playwright does not report the download of a blob.
    const find = async () => {
      const names = (await readdir(downloads)).filter((each) => !before.has(each));
      // While it is written, Firefox has a second file beside it.
      const [name = ""] = names.some((each) => each.endsWith(".part")) ? [] : names;
      const text = name && (await readFile(path.join(downloads, name), "utf8"));
      return text && { name, text };
    };
    return (await vi.waitUntil(find, { timeout: patientMs })) || { name: "", text: "" };
  }
  const [download] = await Promise.all([page.waitForEvent("download"), start()]);
  return { name: download.suggestedFilename(), text: await readFile(await download.path(), "utf8") };
}

/**
 * Starts a headless browser, with a default font size in pixels; it ends after the file's tests. A `newContext()` of it
 * is a device of its own. `isOther`: the other one of Chromium and Firefox, if it is installed. `isTouched`: Firefox
 * has only a touch screen; in Chromium, contexts have `isMobile` for that.
 */
export async function launchBrowser({ fontSize = 16, isOther = false, isTouched = false } = {}): Promise<Browser> {
  const usesFirefox = isOther ? !isFirefox && findFirefox() !== undefined : isFirefox;
  const browser = usesFirefox
    ? await launchFirefox(fontSize, isTouched)
    : await chromium.launch({
        executablePath,
        args: [...args, `--blink-settings=defaultFontSize=${fontSize},${mouseSettings}`],
      });
  atEndOfFile(() => browser.close());
  return browser;
}

/** A browser with an extension, which has no toolbar to click on. */
export interface BrowserWithExtension {
  context: BrowserContext;
  /** Begins the URLs of the extension's pages. */
  origin: string;
  /** The extension's service worker, which the browser starts and ends as it likes. */
  worker(): Promise<Worker>;
  /** Ends the service worker, as browsers do after 30 seconds without an event. */
  endWorker(): Promise<void>;
  /** Clicks on the extension's button while a page is shown. */
  clickButton(page: Page): Promise<void>;
}

/** Starts a headless browser with a new profile and an unpacked extension; it ends after the file's tests. */
export async function launchWithExtension(folder: string, { language = "en-US" } = {}): Promise<BrowserWithExtension> {
  const context = await chromium.launchPersistentContext("", {
    executablePath,
    args: [...args, `--lang=${language}`, "--enable-unsafe-extension-debugging"],
    ignoreDefaultArgs: ["--disable-extensions"],
  });
  atEndOfFile(() => context.close());
  context.setDefaultTimeout(patientMs);
  const session = await context.browser()?.newBrowserCDPSession();
  if (!session) throw new Error("the browser has no DevTools session");
  const { id } = await session.send("Extensions.loadUnpacked", { path: folder });
  const origin = `chrome-extension://${id}`;
  const findWorker = () => context.serviceWorkers().find((worker) => worker.url().startsWith(origin));
  const targetsOf = async (type: string) =>
    (await session.send("Target.getTargets", { filter: [{ type }] })).targetInfos;
  return {
    context,
    origin,
    worker: async () => findWorker() ?? context.waitForEvent("serviceworker"),
    async endWorker() {
      const find = async () => (await targetsOf("service_worker")).find(({ url }) => url.startsWith(origin));
      const targetId = (await find())?.targetId;
      if (targetId) await session.send("Target.closeTarget", { targetId });
      while ((await find())?.targetId === targetId && targetId) await setTimeout(10);
    },
    async clickButton(page) {
      await page.bringToFront();
      const tab = (await targetsOf("tab")).find(({ url }) => url === page.url());
      if (!tab) throw new Error("the page has no tab");
      await session.send("Extensions.triggerAction", { id, targetId: tab.targetId });
    },
  };
}
