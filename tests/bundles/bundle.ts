import { cpSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { findPackageJSON } from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, type Metafile } from "esbuild";
import type { Build } from "../stacks/evaluate.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** What SST puts before each bundle, as libraries in CommonJS expect it. */
const banner = [
  "import { createRequire as topLevelCreateRequire } from 'module';",
  "const require = topLevelCreateRequire(import.meta.url);",
  'import { fileURLToPath as topLevelFileUrlToPath, URL as topLevelURL } from "url"',
  "const __filename = topLevelFileUrlToPath(import.meta.url)",
  'const __dirname = topLevelFileUrlToPath(new topLevelURL(".", import.meta.url))',
].join("\n");

/**
 * Fills a folder with what SST uploads for a function: `bundle.mjs`, made with the options that SST's builder for
 * nodejs24.x gives to esbuild, and beside it the packages that are installed. SST writes a source map as well, which it
 * does not upload.
 */
export async function packageFunction({ handler, properties }: Build, folder: string): Promise<Metafile> {
  const { install = {}, minify = false } = properties;
  mkdirSync(folder, { recursive: true });
  for (const name of Object.keys(install)) installPackage(name, path.join(root, handler), folder);
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [handler.replace(/\.\w+$/, ".ts")],
    outfile: path.join(folder, "bundle.mjs"),
    bundle: true,
    platform: "node",
    format: "esm",
    target: "es2024",
    mainFields: ["module", "main"],
    minify,
    keepNames: true,
    metafile: true,
    external: ["sharp", "pg-native", ...Object.keys(install)],
    banner: { js: banner },
    logLevel: "error",
  });
  return metafile;
}

/** Copies a package and what it depends on, as SST's `npm install` in the folder of the bundle leaves them there. */
function installPackage(name: string, importer: string, folder: string): void {
  const target = path.join(folder, "node_modules", name);
  if (existsSync(target)) return;
  const manifest = findPackageJSON(name, pathToFileURL(importer));
  if (!manifest) throw new Error(`${name}, which ${importer} needs, is not installed`);
  cpSync(path.dirname(manifest), target, { recursive: true });
  const { dependencies = {} } = JSON.parse(readFileSync(manifest, "utf8"));
  for (const dependency of Object.keys(dependencies)) installPackage(dependency, manifest, folder);
}
