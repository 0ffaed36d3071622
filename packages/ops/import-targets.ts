import { type Change, MemoryStore, type ReadingListClient } from "@reading-list/client/main.ts";
import { emptyTally, runCall } from "@reading-list/core/call-scope.ts";
import { type ImportedPage, type ImportOutcome, planImport } from "@reading-list/core/domain/import.ts";
import type { Item, ItemWrite } from "@reading-list/core/domain/item.ts";
import { ServiceError } from "@reading-list/core/errors.ts";
import { type Clock, type WritableList, writesAtOnce } from "@reading-list/core/ports.ts";
import { importPages } from "@reading-list/core/use-cases/import-pages.ts";
import type { Table } from "@reading-list/store/client.ts";
import { createItemStore } from "@reading-list/store/items.ts";

/** Where an import writes to. */
export interface ImportTarget {
  /** Pages that are imported at once. */
  pagesAtOnce: number;
  /** Imports pages in order, or tells what that would do. */
  importPages(pages: readonly ImportedPage[], dryRun: boolean): Promise<ImportOutcome[]>;
}

/** The list of a user, written in the table. */
export function createTableTarget(table: Table, user: WritableList, clock: Clock): ImportTarget {
  const deps = { clock, items: createItemStore(table) };
  let list = user;
  async function importSome(pages: readonly ImportedPage[], dryRun: boolean): Promise<ImportOutcome[]> {
    try {
      const imported = await runCall(emptyTally(), () => importPages(deps, list, pages, { dryRun }));
      list = imported.list;
      return imported.outcomes;
    } catch (error) {
      if (!(error instanceof ServiceError && error.kind === "unavailable" && pages.length > 1)) throw error;
      // Clients change the list all the time: a smaller transaction takes less time, so that fewer of them interfere.
      const half = Math.ceil(pages.length / 2);
      return [...(await importSome(pages.slice(0, half), dryRun)), ...(await importSome(pages.slice(half), dryRun))];
    }
  }
  return { pagesAtOnce: writesAtOnce, importPages: importSome };
}

/**
 * The list of a user, changed through a service. Each request is preceded by a sync, because a page that is in the list
 * must stay as it is there. The client waits for rate limits.
 */
export function createServiceTarget(client: ReadingListClient): ImportTarget {
  const replica = new MemoryStore();
  return {
    pagesAtOnce: 500,
    async importPages(pages, dryRun) {
      for await (const _ of client.sync(replica));
      const stored = await replica.items([...new Set(pages.map(({ itemId }) => itemId))]);
      const existing = stored.map(({ itemId, url, title, tags }): [string, Item] => [
        itemId,
        // The plan depends on no other field.
        { itemId, url, title, tags: tags.join() } as Item,
      ]);
      const { writes, outcomes } = planImport(new Map(existing), pages, "");
      if (!dryRun) await client.send(writes.flatMap(changesOf));
      return outcomes;
    },
  };
}

/** The changes that carry out a write. */
function changesOf({ before, after: { url, title, tags, state } }: ItemWrite): Change[] {
  const tagList = tags === "" ? [] : tags.split(",");
  if (!before) {
    const addition: Change = { kind: "add", url, title, tags: tagList };
    return state === "1" ? [addition, { kind: "read", url }] : [addition];
  }
  return [
    ...(before.title === title ? [] : [{ kind: "title", url, title } as const]),
    ...(before.tags === tags ? [] : [{ kind: "tags", url, tags: tagList } as const]),
  ];
}
