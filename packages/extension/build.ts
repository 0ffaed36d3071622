import { cpSync, globSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { drawIcon } from "@reading-list/web/draw-icon.ts";
import { build } from "esbuild";
import extension from "./package.json" with { type: "json" };
import manifest from "./source/manifest.json" with { type: "json" };

const root = import.meta.dirname;
const source = path.join(root, "source");
const iconSizes = [16, 32, 48, 128];

/** Writes the extension into a folder, which is emptied before, as a browser loads it and a store takes it. */
export async function buildExtension(folder = path.join(root, "dist")): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(path.join(folder, "icons"), { recursive: true });
  await build({
    absWorkingDir: source,
    entryPoints: ["background.ts", "options.ts"],
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
  for (const [size, file] of Object.entries(icons)) writeFileSync(path.join(folder, file), drawIcon(Number(size)));
  const { action, ...others } = manifest;
  const built = { ...others, version: extension.version, icons, action: { ...action, default_icon: icons } };
  writeFileSync(path.join(folder, "manifest.json"), `${JSON.stringify(built, undefined, 2)}\n`);
}

if (import.meta.main) await buildExtension();
