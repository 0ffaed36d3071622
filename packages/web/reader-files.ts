// SPDX-License-Identifier: MIT

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
