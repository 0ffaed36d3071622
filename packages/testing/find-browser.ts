// SPDX-License-Identifier: MIT

import { spawnSync } from "node:child_process";

const pathOf = (names: readonly string[]) =>
  names.map((name) => spawnSync("which", [name], { encoding: "utf8" }).stdout.trim()).find(Boolean);

/** Path of this machine's Chromium, such as the one that `.ci/install-chromium` installs; undefined if none is installed. */
export const findChromium = () => pathOf(["chromium", "chromium-browser", "google-chrome"]);

export const findFirefox = () => pathOf(["firefox-esr", "firefox"]);

/** The same for a suite, which says on the console that it is skipped without a browser. */
export function chromiumFor(subject: string): string | undefined {
  return warned(findChromium(), subject, "Chromium", ".ci/install-chromium");
}

export function firefoxFor(subject: string): string | undefined {
  return warned(findFirefox(), subject, "Firefox", ".ci/install-firefox");
}

function warned(browser: string | undefined, subject: string, name: string, script: string): string | undefined {
  if (browser === undefined) console.warn(`SKIPPED: ${subject}, as no ${name} is installed; sh ${script} installs it`);
  return browser;
}
