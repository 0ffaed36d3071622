// SPDX-License-Identifier: MIT

import { cpSync, globSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import extension from "./package.json" with { type: "json" };
import manifest from "./source/manifest.json" with { type: "json" };

const root = import.meta.dirname;
const source = path.join(root, "source");
/** The icon of the web reader, as PNG because no browser takes an SVG here. */
const iconFolder = path.join(root, "../web/icons");
const iconSizes = [16, 32, 48, 128];

/**
 * Writes the extension into a folder, which is emptied before. Chromium and Firefox load it; the store of Firefox takes it
 * only without the keys of Chromium (`isForFirefox`).
 */
export async function buildExtension(folder: string, { isForFirefox = false } = {}): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(path.join(folder, "icons"), { recursive: true });
  await build({
    absWorkingDir: source,
    entryPoints: ["background.ts", "options.ts", "popup.ts"],
    outdir: folder,
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    target: "es2022",
    legalComments: "none",
  });
  for (const file of globSync(["*.{html,css}", "_locales/**/*.json"], { cwd: source })) {
    cpSync(path.join(source, file), path.join(folder, file));
  }
  const icons = Object.fromEntries(iconSizes.map((size) => [size, `icons/${size}.png`]));
  for (const [size, file] of Object.entries(icons))
    cpSync(path.join(iconFolder, `${size}.png`), path.join(folder, file));
  const { action, background, minimum_chrome_version, ...others } = manifest;
  const { service_worker, ...page } = background;
  const ofBrowser = isForFirefox
    ? { background: page }
    : { minimum_chrome_version, background: { ...page, service_worker } };
  const shown = { icons, action: { ...action, default_icon: icons } };
  const built = { ...others, ...ofBrowser, ...shown, version: extension.version };
  writeFileSync(path.join(folder, "manifest.json"), `${JSON.stringify(built, undefined, 2)}\n`);
}

if (import.meta.main) {
  await buildExtension(path.join(root, "dist"));
  await buildExtension(path.join(root, "dist-firefox"), { isForFirefox: true });
}
