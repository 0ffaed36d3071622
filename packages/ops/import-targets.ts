// SPDX-License-Identifier: MIT

import { type Change, MemoryStore, type ReadingListClient } from "@reading-list/client/main.ts";
import { emptyTally, runCall } from "@reading-list/core/call-scope.ts";
import { type ImportedPage, type ImportOutcome, planImport } from "@reading-list/core/domain/import.ts";
import type { Item, ItemWrite } from "@reading-list/core/domain/item.ts";
import { tagsIn } from "@reading-list/core/domain/tags.ts";
import { ServiceError } from "@reading-list/core/errors.ts";
import type { OperatorStore } from "@reading-list/core/operator-ports.ts";
import { type User, type WritableList, writesAtOnce } from "@reading-list/core/ports.ts";
import { type CopyOutcome, importArticle } from "@reading-list/core/use-cases/articles/copy-article.ts";
import { importPages } from "@reading-list/core/use-cases/lists/import-pages.ts";
import { CommandError } from "./failures.ts";

interface ImportOptions {
  /** Change nothing, and return the outcomes that an import would have. */
  dryRun: boolean;
  /** Ends waits; `importPages` then rejects. */
  signal: AbortSignal;
}

/** The list that an import writes to. */
export interface ImportTarget {
  /** Pages that are imported at once. */
  pagesAtOnce: number;
  /** Imports pages in order. */
  importPages(pages: readonly ImportedPage[], options: ImportOptions): Promise<ImportOutcome[]>;
  /** Keeps an article of an archive; only of a target that can. */
  importArticle?(itemId: string, article: Parameters<typeof importArticle>[3]): Promise<CopyOutcome>;
}

/** Milliseconds for which an import tries pages again whose write fails: a list may be ahead by 10 minutes. */
const patienceMs = 15 * 60_000;

/** The list of a user, written in the database. `articleQuota`: bytes of the user's kept articles. */
export function createStoreTarget(store: OperatorStore, user: User, articleQuota: number): ImportTarget {
  const deps = { clock: Date, items: store.items, articles: store.articles, articleQuota };
  let list: WritableList = user;
  const throwIfDeleted = (error: unknown): never => {
    const isDeleted = error instanceof ServiceError && error.kind === "unauthorized";
    throw isDeleted ? new CommandError(`the user ${user.username} was deleted during the import`) : error;
  };
  async function importSome(
    pages: readonly ImportedPage[],
    options: ImportOptions,
    until = Date.now() + patienceMs,
  ): Promise<ImportOutcome[]> {
    options.signal.throwIfAborted();
    try {
      const imported = await runCall(emptyTally(), () => importPages(deps, list, pages, options));
      list = imported.list;
      return imported.outcomes;
    } catch (error) {
      const isLate = (error as Error).name === "AbortError";
      const isBusy = error instanceof ServiceError && error.kind === "unavailable";
      if (!(isLate || isBusy)) throw error;
      // Such as a list whose clock is minutes ahead: each try waits 8 s.
      if (pages.length === 1 && Date.now() < until) return importSome(pages, options, until);
      if (pages.length === 1) throw error;
      // A smaller transaction takes less time, and fewer changes of clients interfere.
      const half = Math.ceil(pages.length / 2);
      const first = await importSome(pages.slice(0, half), options, until);
      return [...first, ...(await importSome(pages.slice(half), options, until))];
    }
  }
  return {
    pagesAtOnce: writesAtOnce,
    importPages: (pages, options) => importSome(pages, options).catch(throwIfDeleted),
    importArticle: (itemId, article) => importArticle(deps, user, itemId, article).catch(throwIfDeleted),
  };
}

/**
 * The list of a user, changed through a service. Each request is preceded by a sync, because a page that is in the list
 * must stay as it is there. The client waits for rate limits.
 */
export function createServiceTarget(client: ReadingListClient): ImportTarget {
  const replica = new MemoryStore();
  return {
    // The service counts a call for each 99 items.
    pagesAtOnce: 5 * writesAtOnce,
    async importPages(pages, { dryRun, signal }) {
      for await (const _ of client.sync(replica, { signal }));
      const stored = await replica.items([...new Set(pages.map(({ itemId }) => itemId))]);
      const existing = stored.map(({ itemId, url, title, tags }): [string, Item] => [
        itemId,
        // The plan depends on no other field.
        { itemId, url, title, tags: tags.join() } as Item,
      ]);
      const { writes, outcomes } = planImport(new Map(existing), pages, "");
      if (!dryRun) await client.send(writes.flatMap(toChanges), { signal });
      return outcomes;
    },
  };
}

/** The changes that carry out a write. */
function toChanges({ before, after: { url, title, tags, state }, original }: ItemWrite): Change[] {
  const tagList = tagsIn(tags);
  if (!before) {
    const timeAdded = original?.timeAdded && new Date(1000 * original.timeAdded);
    const addition: Change = {
      ...{ kind: "add", url, title, tags: tagList },
      // The service refuses times in the future.
      ...(timeAdded && timeAdded < new Date() && { timeAdded }),
    };
    return state === "1" ? [addition, { kind: "read", url }] : [addition];
  }
  return [
    ...(before.title === title ? [] : [{ kind: "title", url, title } as const]),
    ...(before.tags === tags ? [] : [{ kind: "tags", url, tags: tagList } as const]),
  ];
}
