// SPDX-License-Identifier: MIT

import { existsSync, globSync, readFileSync } from "node:fs";
import path from "node:path";

/** A file of the web reader, as it is served. */
export interface ReaderFile {
  /** Path of its URL, relative to the page's; empty for the page itself. */
  name: string;
  contentType: string;
  /** The name changes with the content, so browsers may keep it for ever. */
  isHashed: boolean;
  content: Buffer;
}

/** The folder in which a release has the built files. A clone has none, so that it never serves stale ones. */
export const builtFolder = "built";

/** The page's name in a folder. */
export const pageFile = "index.html";

const contentTypes: Record<string, string> = {
  "": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".webmanifest": "application/manifest+json",
  ".woff2": "font/woff2",
};

export const readerFile = (name: string, content: Buffer): ReaderFile => ({
  name,
  contentType: contentTypes[path.extname(name)] ?? "",
  isHashed: /-[A-Z\d]{8}\.(?:css|js|json|woff2)$/.test(name),
  content,
});

/**
 * All files of the web reader except `config.json`: the files of the release, or otherwise files built in memory, in
 * about 100 ms.
 */
export async function loadReader(): Promise<ReaderFile[]> {
  const folder = path.join(import.meta.dirname, builtFolder);
  if (!existsSync(folder)) return (await import("./build.ts")).buildReader();
  return globSync("*", { cwd: folder }).map((name) =>
    readerFile(name === pageFile ? "" : name, readFileSync(path.join(folder, name))),
  );
}
