// SPDX-License-Identifier: MIT

import { writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";
import type { Build } from "../evaluate.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** The banner that SST puts before each bundle, for CommonJS libraries. */
const banner = [
  "import { createRequire as topLevelCreateRequire } from 'module';",
  "const require = topLevelCreateRequire(import.meta.url);",
  'import { fileURLToPath as topLevelFileUrlToPath, URL as topLevelURL } from "url"',
  "const __filename = topLevelFileUrlToPath(import.meta.url)",
  'const __dirname = topLevelFileUrlToPath(new topLevelURL(".", import.meta.url))',
].join("\n");

/** Path of the metafile of the bundle in a folder: outside of the folder, because it is not uploaded. */
export const metafileOf = (folder: string) => `${folder}.json`;

/**
 * Makes `bundle.mjs` in a folder with the options that SST's builder for nodejs24.x gives to esbuild. The builder
 * always writes a source map. Returns the paths of the source maps that SST must leave out of the package.
 */
export async function buildBundle(
  { handler, properties }: Build,
  folder: string,
  plugins: Plugin[] = [],
): Promise<string[]> {
  const { install = {}, esbuild = {}, minify = false, sourcemap } = properties;
  const outfile = path.join(folder, "bundle.mjs");
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [handler.replace(/\.\w+$/, ".ts")],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "es2024",
    mainFields: ["module", "main"],
    minify,
    keepNames: true,
    sourcemap: "linked",
    metafile: true,
    external: ["sharp", "pg-native", ...Object.keys(install), ...(esbuild.external ?? [])],
    banner: { js: banner },
    logLevel: "error",
    plugins,
  });
  await writeFile(metafileOf(folder), JSON.stringify(metafile));
  return sourcemap === undefined ? [`${outfile}.map`] : [];
}
