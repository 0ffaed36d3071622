// SPDX-License-Identifier: MIT

import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { LRUCache } from "lru-cache";
import { isDamage, pathOfIndex, readResultCode, suffix } from "./damage.ts";
import { IndexFile, removeIndex } from "./index-file.ts";
import { toWanted } from "./match.ts";
import type { Operations } from "./operations.ts";
import { textOfPage } from "./page-text.ts";
import { findSnippet } from "./snippet.ts";

/** SQLite's code of a write without space. */
const diskFull = 13;

/** The error of a dropped file; the next search rebuilds it. */
export class DamagedIndexError extends Error {}

/** The operations on the indexes in a folder, a file for each user. */
export function createIndexFolder(folder: string): Operations {
  /** Open files, each with up to 2 MB of memory. */
  const open = new LRUCache<string, IndexFile>({ max: 50, dispose: (index) => index.close() });

  const pathOf = (userId: string) => pathOfIndex(folder, userId);

  function indexOf(userId: string): IndexFile {
    const known = open.get(userId);
    if (known) return known;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const index = IndexFile.open(pathOf(userId));
    open.set(userId, index);
    return index;
  }

  function drop(userId: string): void {
    open.delete(userId);
    removeIndex(pathOf(userId));
  }

  const operations: Operations = {
    state: (userId) => (existsSync(pathOf(userId)) ? indexOf(userId).state() : undefined),
    setState: (userId, state) => indexOf(userId).setState(state),
    putPages: (userId, pages) => indexOf(userId).putPages(pages),
    putContents: (userId, contents) => indexOf(userId).putContents(contents),
    remove: (userId, itemIds) => indexOf(userId).remove(itemIds),
    findResized: (userId, sizes) => indexOf(userId).findResized(sizes),
    cutSnippets: (_, { terms }, pages) => {
      const wanted = terms.filter(({ isExcluded }) => !isExcluded).map(toWanted);
      return pages.map(({ html, note, author }) => findSnippet([textOfPage(html), note, author], wanted));
    },
    compact: (userId) => indexOf(userId).compact(),
    drop,
    owners: () => {
      const names = existsSync(folder) ? readdirSync(folder) : [];
      return names
        .filter((name) => name.endsWith(suffix))
        .map((name) => decodeURIComponent(name.slice(0, -suffix.length)));
    },
    // With the log.
    size: (userId) =>
      ["", "-wal"].reduce(
        (sum, end) => sum + (statSync(pathOf(userId) + end, { throwIfNoEntry: false })?.size ?? 0),
        0,
      ),
    exportFile: (userId) => {
      indexOf(userId).flush();
      return readFileSync(pathOf(userId));
    },
    importFile: (userId, content) => {
      drop(userId);
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeFileSync(pathOf(userId), content, { mode: 0o600 });
    },
  };

  const guarded = Object.entries(operations).map(([name, operation]) => [
    name,
    (...args: unknown[]) => {
      try {
        return (operation as (...args: unknown[]) => unknown)(...args);
      } catch (error) {
        // On a full disk it takes the space that is lacking.
        if (!isDamage(error) && readResultCode(error) !== diskFull) throw error;
        drop(String(args[0]));
        throw new DamagedIndexError("the index cannot be used", { cause: error });
      }
    },
  ]);
  return Object.fromEntries(guarded);
}
