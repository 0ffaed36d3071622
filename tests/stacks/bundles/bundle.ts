// SPDX-License-Identifier: MIT

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

/**
 * Makes `bundle.mjs` in a folder with the options that SST's builder for nodejs24.x gives to esbuild: for `sst dev`, and for
 * changed versions. The builder itself makes the packages of a stage (sst-builder.ts).
 */
export async function buildBundle({ handler, properties }: Build, folder: string, plugins: Plugin[] = []) {
  const { install = {}, esbuild = {}, minify = false } = properties;
  const outfile = path.join(folder, "bundle.mjs");
  await build({
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
    external: ["sharp", "pg-native", ...Object.keys(install), ...(esbuild.external ?? [])],
    banner: { js: banner },
    logLevel: "error",
    plugins,
  });
}
