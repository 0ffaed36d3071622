// SPDX-License-Identifier: MIT

import { type Change, MemoryStore, type ReadingListClient } from "@reading-list/client/main.ts";
import { emptyTally, runCall } from "@reading-list/core/call-scope.ts";
import type { HighlightOutcome, ImportedHighlight } from "@reading-list/core/domain/highlight-import.ts";
import { type ImportedPage, type ImportOutcome, planImport } from "@reading-list/core/domain/import.ts";
import type { Item, ItemWrite } from "@reading-list/core/domain/item.ts";
import { tagsIn } from "@reading-list/core/domain/tags.ts";
import { ServiceError } from "@reading-list/core/errors.ts";
import type { OperatorStore } from "@reading-list/core/operator-ports.ts";
import { secondsOf, type User, type WritableList, writesAtOnce } from "@reading-list/core/ports.ts";
import { type CopyOutcome, importArticle } from "@reading-list/core/use-cases/articles/copy-article.ts";
import { importHighlights } from "@reading-list/core/use-cases/lists/import-highlights.ts";
import { importPages } from "@reading-list/core/use-cases/lists/import-pages.ts";
import { CommandError } from "./failures.ts";

interface ImportOptions {
  /** Change nothing, and return the outcomes that an import would have. */
  dryRun: boolean;
  /** Ends waits; `importPages` then rejects. */
  signal: AbortSignal;
}

/** A highlight to import; its time is that of the import if nobody knows it. */
export type HighlightToImport = Omit<ImportedHighlight, "timeCreated"> & { timeCreated: number | undefined };

/** The list that an import writes to. */
export interface ImportTarget {
  /** Pages that are imported at once. */
  pagesAtOnce: number;
  /** Imports pages in order. */
  importPages(pages: readonly ImportedPage[], options: ImportOptions): Promise<ImportOutcome[]>;
  /** Imports up to `longestAtOnce` highlights; only of a target that can. */
  importHighlights?(highlights: readonly HighlightToImport[], options: ImportOptions): Promise<HighlightOutcome[]>;
  /** The URLs of the pages of the list that have one of these titles, by title. */
  findTitles?(titles: ReadonlySet<string>): Promise<Map<string, string[]>>;
  /** Keeps an article of an archive; only of a target that can. */
  importArticle?(itemId: string, article: Parameters<typeof importArticle>[3]): Promise<CopyOutcome>;
}

/** Milliseconds for which an import tries pages again whose write fails: a list may be ahead by 10 minutes. */
const patienceMs = 15 * 60_000;

/** The list of a user, written in the database. `articleQuota`: bytes of the user's kept articles. */
export function createStoreTarget(store: OperatorStore, user: User, articleQuota: number): ImportTarget {
  const deps = {
    clock: Date,
    items: store.items,
    highlights: store.highlights,
    articles: store.articles,
    articleQuota,
  };
  let list: WritableList = user;
  let marked = user;
  const throwIfDeleted = (error: unknown): never => {
    const isDeleted = error instanceof ServiceError && error.kind === "unauthorized";
    throw isDeleted ? new CommandError(`the user ${user.username} was deleted during the import`) : error;
  };
  async function importSome<Entry, Outcome>(
    entries: readonly Entry[],
    signal: AbortSignal,
    write: (entries: readonly Entry[]) => Promise<Outcome[]>,
    until = Date.now() + patienceMs,
  ): Promise<Outcome[]> {
    signal.throwIfAborted();
    try {
      return await runCall(emptyTally(), () => write(entries));
    } catch (error) {
      const isLate = (error as Error).name === "AbortError";
      const isBusy = error instanceof ServiceError && error.kind === "unavailable";
      if (!(isLate || isBusy)) throw error;
      // Such as a list whose clock is minutes ahead: each try waits 8 s.
      if (entries.length === 1 && Date.now() < until) return importSome(entries, signal, write, until);
      if (entries.length === 1) throw error;
      // A smaller transaction takes less time, and fewer changes of clients interfere.
      const half = Math.ceil(entries.length / 2);
      const first = await importSome(entries.slice(0, half), signal, write, until);
      return [...first, ...(await importSome(entries.slice(half), signal, write, until))];
    }
  }
  return {
    pagesAtOnce: writesAtOnce,
    importPages: (pages, options) =>
      importSome(pages, options.signal, async (some) => {
        const imported = await importPages(deps, list, some, options);
        list = imported.list;
        return imported.outcomes;
      }).catch(throwIfDeleted),
    importHighlights: (highlights, options) =>
      importSome(highlights, options.signal, async (some) => {
        const now = secondsOf(deps.clock);
        const dated = some.map((each) => ({ ...each, timeCreated: Math.min(each.timeCreated ?? now, now) }));
        const imported = await importHighlights(deps, marked, dated, options);
        marked = imported.user;
        return imported.outcomes;
      }).catch(throwIfDeleted),
    async findTitles(titles) {
      const found = new Map<string, string[]>();
      for await (const items of store.walkItems(user.username)) {
        for (const { title, url } of items) {
          if (titles.has(title)) found.set(title, [...(found.get(title) ?? []), url]);
        }
      }
      return found;
    },
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
      const existing = stored.map(({ itemId, url, title, tags, progress }): [string, Item] => [
        itemId,
        // The plan depends on no other field.
        { itemId, url, title, tags: tags.join(), ...(progress && { progress: { percent: progress.percent } }) } as Item,
      ]);
      const { writes, outcomes } = planImport(new Map(existing), pages, "");
      if (!dryRun) await client.send(writes.flatMap(toChanges), { signal });
      return outcomes;
    },
  };
}

/** The changes that carry out a write. */
function toChanges({ before, after: { url, title, tags, state, progress }, original }: ItemWrite): Change[] {
  const tagList = tagsIn(tags);
  const isNewPlace = progress !== undefined && !before?.progress;
  const place: Change[] = isNewPlace
    ? [
        {
          kind: "progress",
          url,
          percent: progress.percent,
          anchor: progress.anchor,
          time: new Date(1000 * progress.time),
        },
      ]
    : [];
  if (!before) {
    const timeAdded = original?.timeAdded && new Date(1000 * original.timeAdded);
    const addition: Change = {
      ...{ kind: "add", url, title, tags: tagList },
      // The service refuses times in the future.
      ...(timeAdded && timeAdded < new Date() && { timeAdded }),
    };
    return [addition, ...(state === "1" ? [{ kind: "read", url } as const] : []), ...place];
  }
  return [
    ...(before.title === title ? [] : [{ kind: "title", url, title } as const]),
    ...(before.tags === tags ? [] : [{ kind: "tags", url, tags: tagList } as const]),
    ...place,
  ];
}
