// SPDX-License-Identifier: MIT

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { cp, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
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
 * always writes a source map.
 */
export async function buildBundle({ handler, properties }: Build, folder: string, plugins: Plugin[] = []) {
  const { install = {}, esbuild = {}, minify = false } = properties;
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
}

/**
 * Copies a bundle into an empty folder from those that the processes of one run share. The first that wants a bundle
 * makes it: all functions of a stage take 20 s of processor time.
 */
export async function copySharedBundle({ handler, properties, ...wanted }: Build, folder: string, shared: string) {
  const name = createHash("sha256")
    .update(JSON.stringify([handler, properties]))
    .digest("hex");
  const made = path.join(shared, name);
  const ended = `${made}.ended`;
  const isFirst = await mkdir(made).then(
    () => true,
    () => false,
  );
  if (isFirst) {
    await buildBundle({ handler, properties, ...wanted }, made).finally(() => writeFile(ended, ""));
  }
  while (!existsSync(ended)) await wait(50);
  await cp(made, folder, { recursive: true });
  await cp(metafileOf(made), metafileOf(folder));
}
