import { type Change, MemoryStore, type ReadingListClient } from "@reading-list/client/main.ts";
import { emptyTally, runCall } from "@reading-list/core/call-scope.ts";
import { type ImportedPage, type ImportOutcome, planImport } from "@reading-list/core/domain/import.ts";
import type { Item, ItemWrite } from "@reading-list/core/domain/item.ts";
import { ServiceError } from "@reading-list/core/errors.ts";
import type { OperatorStore } from "@reading-list/core/operator-ports.ts";
import { type Clock, type User, type WritableList, writesAtOnce } from "@reading-list/core/ports.ts";
import { type CopyOutcome, importArticle } from "@reading-list/core/use-cases/copy-article.ts";
import { importPages } from "@reading-list/core/use-cases/import-pages.ts";

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
  /** Prepares for the import of so many pages. */
  begin(pages: number): Promise<void>;
  /** Imports pages in order. */
  importPages(pages: readonly ImportedPage[], options: ImportOptions): Promise<ImportOutcome[]>;
  /** Keeps an article of an archive; only of a target that can. */
  importArticle?(itemId: string, article: Parameters<typeof importArticle>[3]): Promise<CopyOutcome>;
}

/** Reading the whole list is faster than looking up each page if the file has more than this share of its items. */
const shareForWalk = 1 / 30;

/** The list of a user, written in the database. `articleQuota`: bytes of the user's kept articles. */
export function createStoreTarget(
  store: OperatorStore,
  user: User,
  { clock, articleQuota }: { clock: Clock; articleQuota: number },
): ImportTarget {
  const deps = { clock, items: store.items, articles: store.articles, articleQuota };
  let list: WritableList = user;
  /** Which of title and tags the items have that are in the list at the beginning: a repeated import looks up no item. */
  const found = new Map<number, "" | "title" | "tags" | "both">();
  const isComplete = ({ itemId, title, tags }: ImportedPage) => {
    const has = found.get(Number(itemId));
    return (
      has === "both" || (has !== undefined && (has === "title" || title === "") && (has === "tags" || tags === ""))
    );
  };
  async function importSome(pages: readonly ImportedPage[], dryRun: boolean): Promise<ImportOutcome[]> {
    try {
      const imported = await runCall(emptyTally(), () => importPages(deps, list, pages, { dryRun }));
      list = imported.list;
      return imported.outcomes;
    } catch (error) {
      const isLate = (error as Error).name === "AbortError";
      const isBusy = error instanceof ServiceError && error.kind === "unavailable";
      if (pages.length === 1 || !(isLate || isBusy)) throw error;
      // A smaller transaction takes less time, and fewer changes of clients interfere.
      const half = Math.ceil(pages.length / 2);
      return [...(await importSome(pages.slice(0, half), dryRun)), ...(await importSome(pages.slice(half), dryRun))];
    }
  }
  return {
    pagesAtOnce: writesAtOnce,
    async begin(pages) {
      if (pages < (user.countUnread + user.countRead) * shareForWalk) return;
      for await (const items of store.walkItems(user.username)) {
        for (const { itemId, title, url, tags } of items) {
          const hasTags = tags !== "";
          found.set(Number(itemId), title === url ? (hasTags ? "tags" : "") : hasTags ? "both" : "title");
        }
      }
    },
    async importPages(pages, { dryRun }) {
      const others = pages.filter((page) => !isComplete(page));
      const outcomes = others.length === 0 ? [] : await importSome(others, dryRun);
      return pages.map((page) => (isComplete(page) ? "existing" : (outcomes.shift() as ImportOutcome)));
    },
    importArticle: (itemId, article) => importArticle(deps, user, itemId, article),
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
    begin: async () => {},
    async importPages(pages, { dryRun, signal }) {
      for await (const _ of client.sync(replica, { signal }));
      const stored = await replica.items([...new Set(pages.map(({ itemId }) => itemId))]);
      const existing = stored.map(({ itemId, url, title, tags }): [string, Item] => [
        itemId,
        // The plan depends on no other field.
        { itemId, url, title, tags: tags.join() } as Item,
      ]);
      const { writes, outcomes } = planImport(new Map(existing), pages, "");
      if (!dryRun) await client.send(writes.flatMap(changesOf), { signal });
      return outcomes;
    },
  };
}

/** The changes that carry out a write. */
function changesOf({ before, after: { url, title, tags, state }, original }: ItemWrite): Change[] {
  const tagList = tags === "" ? [] : tags.split(",");
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
