// SPDX-License-Identifier: MIT

import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { ErasePermit } from "@reading-list/core/domain/clock-check.ts";
import type { CachedText, TextCache } from "@reading-list/core/ports/pages.ts";

/** Milliseconds after which a file is removed. */
const maximumAge = 7 * 86_400_000;

/** Bytes on disk of all files together. */
const defaultLimit = 200_000_000;

/** A file occupies whole blocks of the disk. */
const blockSize = 4096;
const roundToBlocks = (size: number) => Math.ceil(size / blockSize) * blockSize;

export interface FolderTextCacheOptions {
  /** Bytes on disk. */
  limit?: number | undefined;
  isDiskFull?: (() => boolean) | undefined;
  findPermit: () => ErasePermit | undefined;
}

/**
 * A cache of texts in a folder, one file for each text. If the files exceed `limit` bytes, the oldest are evicted until
 * they take 90 % of it; a full disk gets no further one. Files older than 7 days are removed at the same time, and at the start.
 */
export function createFolderTextCache(
  folder: string,
  { limit = defaultLimit, isDiskFull = () => false, findPermit }: FolderTextCacheOptions,
): TextCache {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // An upper bound: a file that replaces another one counts twice until the next eviction.
  let bytes = evict(folder, limit, findPermit());
  return {
    async find(key) {
      try {
        return JSON.parse(await readFile(path.join(folder, key), "utf8")) as CachedText;
      } catch {
        // A file that is missing or broken is a text that is not cached.
        return undefined;
      }
    },
    async keep(key, text) {
      if (isDiskFull()) return;
      const file = path.join(folder, key);
      const unfinished = `${file}.${process.pid}.${Math.random()}`;
      const content = Buffer.from(JSON.stringify(text));
      try {
        await writeFile(unfinished, content, { mode: 0o600 });
        await rename(unfinished, file);
      } finally {
        await rm(unfinished, { force: true });
      }
      bytes += roundToBlocks(content.length);
      if (bytes > limit) bytes = evict(folder, 0.9 * limit, findPermit());
    },
  };
}

/** Removes files that are too old, if it may, then the oldest until the rest takes at most `limit` bytes; returns its size. */
function evict(folder: string, limit: number, permit: ErasePermit | undefined): number {
  const newestFirst = readdirSync(folder)
    .flatMap((name) => {
      const file = path.join(folder, name);
      const stats = statSync(file, { throwIfNoEntry: false });
      return stats ? [{ file, modified: stats.mtimeMs, size: roundToBlocks(stats.size) }] : [];
    })
    .sort((one, other) => other.modified - one.modified);
  let total = 0;
  let isFull = false;
  for (const { file, modified, size } of newestFirst) {
    isFull ||= total + size > limit || (permit !== undefined && Date.now() - modified > maximumAge);
    if (isFull) rmSync(file, { force: true, recursive: true });
    else total += size;
  }
  return total;
}
