// SPDX-License-Identifier: MIT

import path from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import type { Plugin } from "vitest/config";

const source = "packages/article/processes/extraction-worker.ts";
const folder = path.resolve("node_modules/.cache/extraction-worker");

/**
 * The workers that tests start to parse pages, some 200, are one file, as deployed: the start of one takes 0.3 s of
 * processor time, from the sources 0.9 s. Services in processes of their own start theirs from the sources.
 */
export async function bundleWorker(): Promise<Plugin> {
  await build({
    entryPoints: [source],
    outdir: folder,
    bundle: true,
    splitting: true,
    minify: true,
    platform: "node",
    format: "esm",
    outExtension: { ".js": ".mjs" },
    external: ["pdfjs-dist", "sharp"],
    // For CommonJS libraries.
    banner: {
      js: 'import { createRequire as createRequireOfBundle } from "node:module"; const require = createRequireOfBundle(import.meta.url);',
    },
  });
  const bundle = JSON.stringify(pathToFileURL(path.join(folder, "extraction-worker.mjs")).href);
  return {
    name: "bundle-worker",
    enforce: "pre",
    transform: (code) => code.replace(/"[./]+(?:[\w/]+\/)?processes\/extraction-worker\.ts"/, bundle),
  };
}
