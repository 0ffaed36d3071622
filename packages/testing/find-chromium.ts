import { spawnSync } from "node:child_process";

/** Path of this machine's browser, such as the one that `.ci/install-chromium` installs; undefined if there is none. */
export function findChromium(): string | undefined {
  const names = ["chromium", "chromium-browser", "google-chrome"];
  return names.map((name) => spawnSync("which", [name], { encoding: "utf8" }).stdout.trim()).find(Boolean);
}

/** The same for a suite, which says on the console that it is skipped without a browser. */
export function chromiumFor(subject: string): string | undefined {
  const chromium = findChromium();
  if (chromium === undefined) {
    console.warn(`SKIPPED: ${subject}, as no Chromium is installed; sh .ci/install-chromium installs it`);
  }
  return chromium;
}
