// SPDX-License-Identifier: MIT

import { execFileSync } from "node:child_process";
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import manifest from "./package.json" with { type: "json" };

/** Each way into the published package, and the file behind it. */
const entries = { ".": "main", "./indexeddb": "indexeddb-store" };

const root = import.meta.dirname;

/**
 * Writes the package as it is published into a folder: JavaScript, types, README and license. In the repository the
 * sources are imported, as everywhere; Node runs no TypeScript below `node_modules`, so others get JavaScript.
 */
export async function buildClient(folder = path.join(root, "dist")): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  await build({
    absWorkingDir: root,
    entryPoints: Object.values(entries).map((name) => `${name}.ts`),
    outdir: folder,
    bundle: true,
    splitting: true,
    format: "esm",
    target: "es2022",
    external: ["idb"],
  });
  const compiler = path.join(path.dirname(fileURLToPath(import.meta.resolve("typescript/package.json"))), "bin/tsc");
  execFileSync(process.execPath, [compiler, "-p", root, "--outDir", folder], { stdio: "inherit" });
  for (const file of globSync("*.d.ts", { cwd: folder }).map((name) => path.join(folder, name))) {
    // The compiler leaves the extensions of imports in declarations as they are.
    writeFileSync(file, readFileSync(file, "utf8").replaceAll(/(from "\.\/[\w-]+)\.ts"/g, '$1.js"'));
  }
  cpSync(path.join(root, "README.md"), path.join(folder, "README.md"));
  cpSync(path.join(root, "../../LICENSE"), path.join(folder, "LICENSE"));
  const { name, version, description, license, type, dependencies } = manifest;
  const exports = Object.fromEntries(
    Object.entries(entries).map(([entry, file]) => [entry, { types: `./${file}.d.ts`, default: `./${file}.js` }]),
  );
  const published = {
    name,
    version,
    description,
    license,
    type,
    exports,
    ...repositoryFields(process.env.GITHUB_REPOSITORY),
    sideEffects: false,
    engines: { node: ">=20.3" },
    dependencies: { idb: dependencies.idb },
  };
  writeFileSync(path.join(folder, "package.json"), `${JSON.stringify(published, undefined, 2)}\n`);
}

/** The fields by which npm shows, and verifies, where the package comes from; a release runs on GitHub. */
function repositoryFields(repository: string | undefined) {
  if (!repository) return {};
  const homepage = `https://github.com/${repository}`;
  return {
    repository: { type: "git", url: `git+${homepage}.git`, directory: "packages/client" },
    homepage: `${homepage}/tree/main/packages/client`,
    bugs: `${homepage}/issues`,
  };
}

if (import.meta.main) await buildClient();
