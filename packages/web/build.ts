// SPDX-License-Identifier: MIT

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { type BuildOptions, build, type Plugin } from "esbuild";
import { languages, readCatalogue } from "./catalogues.ts";
import { signInParts } from "./kit/text-parts.ts";
import { type TypefaceFile, typefaces } from "./kit/typefaces.ts";
import { pageFile, type ReaderFile, readerFile } from "./reader-files.ts";

const root = import.meta.dirname;
const { version: release } = JSON.parse(readFileSync(path.join(root, "../../package.json"), "utf8"));

const options = {
  absWorkingDir: root,
  bundle: true,
  format: "esm",
  target: "es2022",
  minify: true,
  write: false,
  outdir: "dist",
  legalComments: "none",
} satisfies BuildOptions;

/**
 * Has each module that is loaded later import those of the first load, so that all code that they share is one file. Without
 * it esbuild writes a file for each set of modules that share some code: 15 instead of 7 in the first load, 0.8 KB more.
 */
const shareFirstLoad: Plugin = {
  name: "share the first load",
  setup({ onResolve, onLoad }) {
    const later = new Set<string>();
    onResolve({ filter: /^\./ }, ({ kind, resolveDir, path: name }) => {
      if (kind === "dynamic-import") later.add(path.resolve(resolveDir, name));
      return undefined;
    });
    onLoad({ filter: /\.tsx?$/ }, ({ path: file }) => {
      const name = path.relative(root, file);
      const group = [signedOut, signedIn].find((names) => names.includes(name));
      if (!group && !later.has(file)) return undefined;
      const shared = [...first, ...(group ?? [...signedOut, ...signedIn])];
      const imports = shared.map((each) => `import ${JSON.stringify(path.join(root, each))};`);
      return { contents: [readFileSync(file, "utf8"), ...imports].join("\n"), loader: "tsx" };
    });
  },
};

/** Modules of the first load. */
const first = ["main/app.tsx", "data/account.ts", "kit/settings.ts", "kit/web-address.ts"];
/** Further modules of the first load of a user who is not signed in. */
const signedOut = [
  "features/account/account-page.tsx",
  "main/register-service-worker.ts",
  "kit/explain-failure.ts",
  "../client/device-password.ts",
];
/** Further modules of the first load of a user who is signed in. */
const signedIn = ["main/signed-in.tsx", "data/session.ts"];

/** Builds the web reader in memory, in some 100 ms: all its files but `config.json`. */
export async function buildReader(): Promise<ReaderFile[]> {
  const catalogues = listLanguageTexts();
  const fonts = listTypefaceFiles();
  const styles = await buildHashed({ entryPoints: ["main/styles.css", "main/later.css"] });
  const scripts = await buildHashed({
    entryPoints: ["main/main.tsx"],
    define: {
      LATER_STYLES: JSON.stringify(nameIn(styles, "later")),
      // As strings: esbuild makes a module of the first load out of an array or an object.
      LANGUAGES: JSON.stringify(languages.join(" ")),
      RELEASE: JSON.stringify(release),
      TYPEFACE_FILES: JSON.stringify(JSON.stringify(fonts.names)),
    },
    splitting: true,
    plugins: [shareFirstLoad],
    jsx: "automatic",
    jsxImportSource: "preact",
  });
  const firstPaint = await buildHashed({
    entryPoints: ["main/first-paint.ts"],
    format: "iife",
    define: { CATALOGUES: JSON.stringify(Object.fromEntries(catalogues.map(({ tag, shown }) => [tag, shown]))) },
  });
  const hashed = [...styles, ...scripts, ...firstPaint, ...catalogues.flatMap(({ files }) => files)];
  const html = readFileSync(path.join(root, "index.html"), "utf8").replaceAll(/{([\w-]+)}/g, (_, entry: string) =>
    nameIn(hashed, entry),
  );
  const stable = [
    readerFile("", Buffer.from(html)),
    ...["icon.svg", "manifest.webmanifest"].map((name) => readerFile(name, readFileSync(path.join(root, name)))),
    ...[192, 512].map((size) => readerFile(`icon-${size}.png`, readFileSync(path.join(root, `icons/${size}.png`)))),
  ];
  const files = [...stable, ...hashed];
  // Typefaces are cached when they are chosen.
  return [...files, ...fonts.files, await buildServiceWorker(files)];
}

/** The files of each typeface for Latin, Greek and Cyrillic letters, if it has them. */
function listTypefaceFiles() {
  const files: ReaderFile[] = [];
  const names = Object.keys(typefaces).map((key): [string, TypefaceFile[]] => {
    const folder = path.dirname(fileURLToPath(import.meta.resolve(`@fontsource-variable/${key}/unicode.json`)));
    const ranges: Record<string, string> = JSON.parse(readFileSync(path.join(folder, "unicode.json"), "utf8"));
    const parts = ["latin", "latin-ext", "greek", "cyrillic"].flatMap((subset) =>
      (["normal", "italic"] as const).map((style) => ({ subset, style })),
    );
    const found = parts.flatMap(({ subset, style }): TypefaceFile[] => {
      const file = path.join(folder, "files", `${key}-${subset}-wght-${style}.woff2`);
      if (!existsSync(file)) return [];
      const content = readFileSync(file);
      const name = `${key}-${subset}-${style}-${hashContent(content)}.woff2`;
      files.push(readerFile(name, content));
      return [[name, style, ranges[subset] ?? ""]];
    });
    return [key, found];
  });
  return { files, names: Object.fromEntries(names) };
}

const hashContent = (content: string | Buffer) =>
  createHash("sha256").update(content).digest("hex").slice(0, 8).toUpperCase();

async function buildHashed(entry: BuildOptions): Promise<ReaderFile[]> {
  const names = { entryNames: "[name]-[hash]", chunkNames: "[name]-[hash]" };
  const { outputFiles = [] } = await build({ ...options, ...names, ...entry });
  return outputFiles.map((file) => readerFile(path.basename(file.path), Buffer.from(file.contents)));
}

/** The files of each language: the texts of the first load, of the page for signing in, and all others. */
const listLanguageTexts = () =>
  languages.map((tag) => {
    const { direction, first, later } = readCatalogue(tag);
    const name = `${tag}-${hashContent(JSON.stringify([first, later]))}`;
    const signIn = Object.fromEntries(signInParts.map((part) => [part, later[part]]));
    const rest = Object.fromEntries(Object.entries(later).filter(([part]) => !(part in signIn)));
    const files = [
      textsFile(`first-${name}.json`, first),
      textsFile(`sign-in-${name}.json`, signIn),
      textsFile(`later-${name}.json`, rest),
    ];
    return { tag, files, shown: { direction, name } };
  });

const textsFile = (name: string, texts: object) => readerFile(name, Buffer.from(JSON.stringify(texts)));

/** The file name with the hash of an entry point. */
const nameIn = (files: readonly ReaderFile[], entry: string): string =>
  files.find(({ name }) => name.replace(/-\w+\.\w+$/, "") === entry)?.name ?? "";

/** The service worker with the names of the files that it caches. It changes whenever one of them does. */
async function buildServiceWorker(files: readonly ReaderFile[]): Promise<ReaderFile> {
  const version = createHash("sha256");
  for (const { name, content } of files) version.update(`${name}\n`).update(content);
  const { outputFiles } = await build({
    ...options,
    entryPoints: ["service-worker/service-worker.ts"],
    define: {
      FILES: JSON.stringify(files.map(({ name }) => name)),
      VERSION: JSON.stringify(version.digest("hex").slice(0, 12)),
    },
  });
  return readerFile("service-worker.js", Buffer.from(outputFiles[0]?.contents ?? []));
}

/**
 * Writes the web reader into a folder and removes everything else there afterwards: a deployment may read the folder
 * while another one builds the same files. The page is `index.html`. `config` is the content of `config.json`, a
 * `ReaderConfig`; without it no such file is written.
 */
export async function writeReader(folder: string, config?: string): Promise<void> {
  const files = (await buildReader()).map(({ name, content }) => ({ name: name || pageFile, content }));
  if (config) files.push({ name: "config.json", content: Buffer.from(config) });
  mkdirSync(folder, { recursive: true });
  for (const { name, content } of files) writeFileSync(path.join(folder, name), content);
  const written = new Set(files.map(({ name }) => name));
  for (const name of readdirSync(folder)) if (!written.has(name)) rmSync(path.join(folder, name), { recursive: true });
}

if (import.meta.main) await writeReader(path.join(root, "dist"), process.env.READER_CONFIG);
