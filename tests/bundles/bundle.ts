import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** What SST puts before each bundle, as libraries in CommonJS expect it. */
const banner = [
  "import { createRequire as topLevelCreateRequire } from 'module';",
  "const require = topLevelCreateRequire(import.meta.url);",
  "import { fileURLToPath as topLevelFileUrlToPath, URL as topLevelURL } from 'url';",
  "const __filename = topLevelFileUrlToPath(import.meta.url);",
  "const __dirname = topLevelFileUrlToPath(new topLevelURL('.', import.meta.url));",
].join("\n");

/** Bundles the handler of a function into one file, with the options that SST uses. */
export async function bundleFunction(name: string, outfile: string): Promise<void> {
  await build({
    entryPoints: [fileURLToPath(new URL(`../../packages/functions/handlers/${name}.ts`, import.meta.url))],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "esnext",
    mainFields: ["module", "main"],
    minify: true,
    keepNames: true,
    external: ["sharp", "pg-native", "argon2"],
    banner: { js: banner },
    logLevel: "error",
  });
}
