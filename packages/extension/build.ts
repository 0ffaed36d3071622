// SPDX-License-Identifier: MIT

import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type Catalogue, languages, readCatalogue } from "@reading-list/web/catalogues.ts";
import { build, type Plugin } from "esbuild";
import extension from "./package.json" with { type: "json" };
import manifest from "./source/manifest.json" with { type: "json" };
import { tagTexts } from "./source/tag-texts.ts";

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
    plugins: [withoutMarkup],
    jsx: "automatic",
    jsxImportSource: "preact",
  });
  for (const file of globSync("*.{html,css}", { cwd: source })) {
    cpSync(path.join(source, file), path.join(folder, file));
  }
  cpSync(path.join(root, "../web/kit/tags-field.css"), path.join(folder, "tags-field.css"));
  writeMessages(folder);
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

/**
 * Preact parses no markup here: Mozilla's linter warns of its `innerHTML`, which `dangerouslySetInnerHTML` needs and nothing
 * else.
 */
const withoutMarkup: Plugin = {
  name: "without markup",
  setup({ onLoad }) {
    onLoad({ filter: /\/preact\.mjs$/ }, ({ path: file }) => ({
      contents: readFileSync(file, "utf8").replaceAll(".innerHTML", ".textContent"),
    }));
  },
};

/** The texts of the extension, and those of the reader's field of tags. */
export const selectTexts = ({ extension, later }: Catalogue): Record<string, string> => ({
  ...extension,
  ...Object.fromEntries(tagTexts.map((name) => [name, later.add[name]])),
});

/** The texts of each language as browsers take them, from the catalogues of the web reader. */
function writeMessages(folder: string): void {
  const english = selectTexts(readCatalogue("en"));
  for (const tag of languages) {
    const catalogue = readCatalogue(tag);
    const { direction } = catalogue;
    const messages = Object.entries({ ...selectTexts(catalogue), language: tag, direction }).map(([name, text]) => [
      name,
      toMessage(text, placeholdersIn(english[name] ?? "")),
    ]);
    const language = path.join(folder, "_locales", tag.replaceAll("-", "_"));
    mkdirSync(language, { recursive: true });
    writeFileSync(path.join(language, "messages.json"), JSON.stringify(Object.fromEntries(messages)));
  }
}

const placeholdersIn = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);

/** A message whose values are given in the order in which the English text has them. */
const toMessage = (text: string, names: readonly string[]) => ({
  message: text.replaceAll(/\{(\w+)\}/g, (_, name: string) => `$${name}$`),
  placeholders: Object.fromEntries(names.map((name, i) => [name, { content: `$${i + 1}` }])),
});

if (import.meta.main) {
  await buildExtension(path.join(root, "dist"));
  await buildExtension(path.join(root, "dist-firefox"), { isForFirefox: true });
}
