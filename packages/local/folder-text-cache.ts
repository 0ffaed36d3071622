import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { CachedText, TextCache } from "@reading-list/core/ports.ts";

/** Milliseconds after which a file is removed at the next start. */
const keptFor = 7 * 86_400_000;

/** A cache of texts in a folder, a file a text; old ones go when the service starts. */
export function createFolderTextCache(folder: string): TextCache {
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder)) {
    const file = path.join(folder, name);
    const age = Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0);
    if (age > keptFor) rmSync(file, { force: true, recursive: true });
  }
  return {
    async find(key) {
      try {
        return JSON.parse(await readFile(path.join(folder, key), "utf8")) as CachedText;
      } catch {
        // A file that is missing is a text that is not kept.
        return undefined;
      }
    },
    async keep(key, text) {
      const file = path.join(folder, key);
      const unfinished = `${file}.${process.pid}.${Math.random()}`;
      try {
        await writeFile(unfinished, JSON.stringify(text));
        await rename(unfinished, file);
      } finally {
        await rm(unfinished, { force: true });
      }
    },
  };
}
