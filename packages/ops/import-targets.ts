// SPDX-License-Identifier: MIT

import {
  type Change,
  changeTags,
  type HighlightChange,
  MemoryHighlightStore,
  MemoryStore,
  type ReadingListClient,
} from "@reading-list/client/main.ts";
import { emptyTally, runCall } from "@reading-list/core/call-scope.ts";
import type { HighlightOutcome } from "@reading-list/core/domain/highlight-import.ts";
import { longestAtOnce } from "@reading-list/core/domain/highlights.ts";
import { type ImportedPage, type ImportOutcome, planImport } from "@reading-list/core/domain/import.ts";
import type { Item, ItemWrite } from "@reading-list/core/domain/item.ts";
import { toItemId } from "@reading-list/core/domain/item-id.ts";
import { tagsIn } from "@reading-list/core/domain/tags.ts";
import { withoutTracking } from "@reading-list/core/domain/tracking-parameters.ts";
import { ServiceError } from "@reading-list/core/errors.ts";
import { unixTime } from "@reading-list/core/ports/clock.ts";
import { type WritableList, writesAtOnce } from "@reading-list/core/ports/items.ts";
import type { OperatorStore } from "@reading-list/core/ports/operator.ts";
import type { User } from "@reading-list/core/ports/users.ts";
import { type CopyOutcome, importArticle } from "@reading-list/core/use-cases/articles/copy-article.ts";
import {
  type ImportedText,
  type ImportPorts,
  importText,
  type TextOutcome,
} from "@reading-list/core/use-cases/articles/import-text.ts";
import { findCleanUrls } from "@reading-list/core/use-cases/lists/clean-additions.ts";
import { importHighlights } from "@reading-list/core/use-cases/lists/import-highlights.ts";
import { importPages } from "@reading-list/core/use-cases/lists/import-pages.ts";
import type { PlacedHighlight } from "@reading-list/exchange/place-highlight.ts";
import { CommandError } from "./failures.ts";

interface ImportOptions {
  /** Change nothing, and return the outcomes that an import would have. */
  dryRun: boolean;
  /** Ends waits; `importPages` then rejects. */
  signal: AbortSignal;
}

/** The list that an import writes to. */
export interface ImportTarget {
  /**
   * Of URLs with parameters that only track, those without these parameters, by the URL of the file. One that is in the
   * list with them is left out.
   */
  findCleanUrls(urls: Iterable<string>): Promise<Map<string, string>>;
  /** Pages that are imported at once. */
  pagesAtOnce: number;
  /** Imports pages in order. */
  importPages(pages: readonly ImportedPage[], options: ImportOptions): Promise<ImportOutcome[]>;
  /** Highlights that are imported at once. */
  highlightsAtOnce: number;
  /** Imports highlights; a highlight without a known time gets the time of the import. */
  importHighlights(highlights: readonly PlacedHighlight[], options: ImportOptions): Promise<HighlightOutcome[]>;
  /** The URLs of the pages of the list that have one of these titles, by title. */
  findTitles(titles: ReadonlySet<string>): Promise<Map<string, string[]>>;
  /** Keeps the text that a file has of a page; only of a target that can. */
  importText?(text: ImportedText): Promise<TextOutcome>;
  /** Keeps an article of an archive; only of a target that can. */
  importArticle?(itemId: string, article: Parameters<typeof importArticle>[3]): Promise<CopyOutcome>;
}

/** Milliseconds for which an import tries pages again whose write fails: a list may be ahead by 10 minutes. */
const patienceMs = 15 * 60_000;

/** The list of a user, written in the database. Quotas: bytes of the user's kept articles and pictures. */
export function createStoreTarget(
  store: OperatorStore,
  user: User,
  parts: Pick<ImportPorts, "articleQuota" | "pictureQuota" | "reader" | "pictures">,
): ImportTarget {
  const deps = {
    clock: Date,
    items: store.items,
    highlights: store.highlights,
    articles: store.articles,
    pictureStore: store.pictureStore,
    ...parts,
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
    findCleanUrls: (urls) => findCleanUrls(deps, user.username, urls),
    pagesAtOnce: writesAtOnce,
    importPages: (pages, options) =>
      importSome(pages, options.signal, async (some) => {
        const imported = await importPages(deps, list, some, options);
        list = imported.list;
        return imported.outcomes;
      }).catch(throwIfDeleted),
    highlightsAtOnce: longestAtOnce,
    importHighlights: (highlights, options) =>
      importSome(highlights, options.signal, async (some) => {
        const now = unixTime(deps.clock);
        const dated = some.map((highlight) => ({
          ...unchangedFields(highlight),
          formerId: highlight.formerId,
          itemId: highlight.itemId,
          timeCreated: Math.min(highlight.timeCreated ?? now, now),
        }));
        const imported = await importHighlights(deps, marked, dated, options);
        marked = imported.user;
        return imported.outcomes;
      }).catch(throwIfDeleted),
    async findTitles(titles) {
      const found: { title: string; url: string }[] = [];
      for await (const items of store.walkItems(user.username)) {
        found.push(...items.filter(({ title }) => titles.has(title)));
      }
      return byTitle(found);
    },
    importText: (text) => importText(deps, user, text).catch(throwIfDeleted),
    importArticle: (itemId, article) => importArticle(deps, user, itemId, article).catch(throwIfDeleted),
  };
}

const byTitle = (pages: readonly { title: string; url: string }[]) =>
  new Map(
    [...Map.groupBy(pages, ({ title }) => title)].map(([title, same]) => [title, same.map(({ url }) => url)] as const),
  );

/**
 * The list of a user, changed through a service. Each request is preceded by a sync, because a page that is in the list
 * must stay as it is there. The client waits for rate limits.
 */
export function createServiceTarget(client: ReadingListClient): ImportTarget {
  const replica = new MemoryStore();
  const highlightsOfReplica = new MemoryHighlightStore();
  async function sync(options: { signal?: AbortSignal; highlights?: MemoryHighlightStore }): Promise<void> {
    for await (const _ of client.sync(replica, options));
  }
  /** The ids of the highlights and items that the service has. */
  async function knownIds(signal: AbortSignal) {
    await sync({ signal, highlights: highlightsOfReplica });
    return {
      highlights: new Set((await highlightsOfReplica.highlights()).map(({ id }) => id)),
      items: await knownItems(),
    };
  }
  const knownItems = async () => new Set((await replica.items()).map(({ itemId }) => itemId));
  return {
    // The client does not have the trash.
    async findCleanUrls(urls) {
      const clean = [...urls].flatMap((url) =>
        withoutTracking(url) === url ? [] : [[url, withoutTracking(url)] as const],
      );
      if (clean.length === 0) return new Map();
      await sync({});
      const known = await knownItems();
      return new Map(clean.filter(([url]) => !known.has(toItemId(url))));
    },
    // The service counts a call for each 99 items.
    pagesAtOnce: 5 * writesAtOnce,
    async importPages(pages, { dryRun, signal }) {
      await sync({ signal });
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
    highlightsAtOnce: 5 * writesAtOnce,
    async importHighlights(highlights, { dryRun, signal }) {
      const before = await knownIds(signal);
      const sent = new Map<string, HighlightChange>();
      for (const highlight of highlights) {
        const { id, formerId } = highlight;
        if (!before.highlights.has(id) && !before.highlights.has(formerId) && !sent.has(id))
          sent.set(id, saveChange(highlight));
      }
      const rejected = dryRun ? [] : await client.sendHighlights([...sent.values()], { signal });
      const messages = new Map(rejected.map(({ change: { id }, message }) => [id, message]));
      // One that the user had deleted is ignored by the service.
      const after = dryRun || sent.size === 0 ? before : await knownIds(signal);
      return highlights.map(({ id, itemId }): HighlightOutcome => {
        const message = messages.get(id);
        if (message !== undefined) return message.includes("not in the list") ? "missing" : "full";
        if (!sent.delete(id)) return "existing";
        if (!after.items.has(itemId)) return dryRun ? "missing" : "new";
        return dryRun || after.highlights.has(id) ? "new" : "existing";
      });
    },
    async findTitles(titles) {
      await sync({});
      return byTitle((await replica.items()).filter(({ title }) => titles.has(title)));
    },
  };
}

/** The fields of a highlight that a list stores and a change sends unchanged. */
const unchangedFields = ({ id, quote, prefix, suffix, position, color, note }: PlacedHighlight) => ({
  id,
  quote,
  prefix,
  suffix,
  position,
  color,
  note,
});

/** The change that adds a highlight. */
function saveChange(highlight: PlacedHighlight): HighlightChange {
  const { url, timeCreated } = highlight;
  const time = timeCreated && new Date(1000 * timeCreated);
  return {
    kind: "save",
    url,
    ...unchangedFields(highlight),
    // The service refuses times in the future.
    ...(time && time < new Date() && { timeCreated: time }),
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
      kind: "add",
      url,
      title,
      // The service refuses times in the future.
      ...(timeAdded && timeAdded < new Date() && { timeAdded }),
    };
    const read: Change[] = state === "1" ? [{ kind: "read", url }] : [];
    return [addition, ...read, ...changeTags({ url, tags: [] }, tagList), ...place];
  }
  return [
    ...(before.title === title ? [] : [{ kind: "title", url, title } as const]),
    ...changeTags({ url, tags: tagsIn(before.tags) }, tagList),
    ...place,
  ];
}
