import { type Browser, chromium } from "playwright-core";
import { afterAll } from "vitest";
import { findChromium } from "./find-chromium.ts";

/** Starts a headless browser; it ends after the file's tests. A `newContext()` of it is a device of its own. */
export async function launchBrowser(): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: findChromium() ?? "",
    // No name resolves: a page can request what it wants, and reaches nothing but this machine.
    args: ["--no-sandbox", "--disable-dev-shm-usage", "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"],
  });
  afterAll(() => browser.close());
  return browser;
}
