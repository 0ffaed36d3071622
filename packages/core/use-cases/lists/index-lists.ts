// SPDX-License-Identifier: MIT

import { setTimeout as pause } from "node:timers/promises";
import { deadlineSignal, emptyTally, runCall } from "../../call-scope.ts";
import { describeDrawings } from "../../domain/drawing.ts";
import { toSite } from "../../domain/hosts.ts";
import { findBelongingsTime, type Item, itemsIn } from "../../domain/item.ts";
import { ByteBudget, belongsTo } from "../../domain/kept-article.ts";
import { splitList } from "../../domain/split-list.ts";
import { isOutdated } from "../../domain/user-clock.ts";
import { FairQueue } from "../../fair-queue.ts";
import type { ArticleStore } from "../../ports/articles.ts";
import type { Dependencies } from "../../ports/dependencies.ts";
import type { IndexedPage, IndexState, ListIndexer, PageContent } from "../../ports/search.ts";
import type { User } from "../../ports/users.ts";

export type IndexerPorts = Pick<Dependencies, "items" | "highlights" | "searchIndex" | "isDiskFull"> & {
  articles: Pick<ArticleStore, "find" | "sizes" | "allSizes">;
};

export interface IndexingLimits {
  /** Milliseconds for which a search waits for its index. */
  waitMs?: number;
  /** Milliseconds that an update may take; a first one takes 2 ms a page. */
  updateMs?: number;
  /** Bytes of a file above which further pages are indexed without their texts. */
  fileBytes?: number;
}

/**
 * Pages that are compared, or removed, at once, and UTF-16 units of notes and HTML that are indexed at once: some 100 ms
 * of the thread.
 */
const pagesAtOnce = 200;
const unitsAtOnce = 1_000_000;

/** Articles that are read at once, of up to 12 MB each; and for snippets, whose bytes a budget bounds. */
const articlesAtOnce = 4;
const snippetsAtOnce = 10;

/** UTF-16 units of notes and quotations that are indexed of a page. */
const maxNotes = 1_000_000;

/** An update that ended at its deadline, or on a full disk; the next search continues it. */
class UpdateEndedError extends Error {}

/**
 * Keeps search indexes up to date like a syncing client: it asks for the changes since the last time, so that writes of
 * a list do not have to update the index.
 */
export class IndexedLists implements ListIndexer {
  readonly #deps: IndexerPorts;
  /** The updates under way, by the id of the user. One list is read at a time: a list of 100,000 takes 100 MB. */
  readonly #updates = new Map<string, Promise<number>>();
  readonly #reading = new FairQueue({ atOnce: 1 });

  readonly #limits: Required<IndexingLimits>;
  readonly #fetch: (userId: string) => Promise<boolean>;

  /** `fetch`: replaces the index of a user with a newer stored one, if there is one; returns whether it did. */
  constructor(deps: IndexerPorts, limits: IndexingLimits = {}, fetch = async (_userId: string) => false) {
    this.#deps = deps;
    this.#limits = { waitMs: 1000, updateMs: 3_600_000, fileBytes: Number.POSITIVE_INFINITY, ...limits };
    this.#fetch = fetch;
  }

  async update(user: User): Promise<number> {
    const known = await this.#known(user);
    if (known && !hasChanged(known, user)) return Math.max(known.asOf, user.clock.lastSince);
    // The first search after space is free continues it.
    if (this.#deps.isDiskFull?.()) return known?.asOf ?? 0;
    const waiting = new AbortController();
    const late = pause(this.#limits.waitMs, undefined, { signal: waiting.signal })
      .then(async () => (await this.#known(user))?.asOf ?? 0)
      .catch(() => 0);
    try {
      const updated = this.#join(user, known).catch((error) => {
        if (!(error instanceof UpdateEndedError)) throw error;
        return late;
      });
      return await Promise.race([updated, late]);
    } finally {
      waiting.abort();
    }
  }

  /** Joins the update under way, which may have begun before the last changes: then one more follows. */
  async #join(user: User, known: IndexState | undefined): Promise<number> {
    const asOf = await this.#begin(user, known);
    return asOf > 0 && asOf < user.clock.changedAt ? this.#begin(user, await this.#known(user)) : asOf;
  }

  /** Brings an index up to date, however long that takes. */
  async finish(user: User): Promise<void> {
    const known = await this.#known(user);
    if (this.#deps.isDiskFull?.()) return;
    if (!known || hasChanged(known, user)) await this.#begin(user, known);
  }

  isUpdating({ userId }: Pick<User, "userId">): boolean {
    return this.#updates.has(userId);
  }

  /** After a restore of the database, or a repair of the clock, an older index describes another list. */
  async #known(user: User): Promise<IndexState | undefined> {
    const state = await this.#deps.searchIndex.state(user.userId);
    if (!state || state.revision > user.revision || state.asOf > user.clock.lastSince) return undefined;
    return isOutdated(state.asOf, user.clock) ? undefined : state;
  }

  /** Begins an update, or joins the one under way. */
  #begin(user: User, known: IndexState | undefined): Promise<number> {
    const underWay = this.#updates.get(user.userId);
    if (underWay) return underWay;
    const { updateMs } = this.#limits;
    const update = this.#reading
      .run(user.userId, AbortSignal.timeout(updateMs), () =>
        runCall(emptyTally(), () => this.#updateInTime(user, known), updateMs),
      )
      .finally(() => this.#updates.delete(user.userId));
    this.#updates.set(user.userId, update);
    // Nobody may wait for it any more; the next search tries again.
    update.catch(() => {});
    return update;
  }

  async #updateInTime(user: User, known: IndexState | undefined): Promise<number> {
    try {
      return await this.#update(user, known);
    } catch (error) {
      throw deadlineSignal()?.aborted ? new UpdateEndedError("the update took too long", { cause: error }) : error;
    }
  }

  async #update(user: User, copied: IndexState | undefined): Promise<number> {
    const { items, highlights, searchIndex, articles } = this.#deps;
    const { userId } = user;
    const known = (await this.#fetch(userId)) ? await this.#known(user) : copied;
    if (known && !hasChanged(known, user)) return Math.max(known.asOf, user.clock.lastSince);
    if (!known) await searchIndex.drop(userId);
    const after = known?.asOf;
    const range = { filter: [], after, itemId: undefined, skip: 0, limit: undefined, deletions: "apart" } as const;
    const listing = await items.list(user, range);
    const changed = new Map<string, Item>();
    for await (const part of listing.items) for (const item of part) changed.set(item.itemId, item);
    if (known) {
      const gone = (await itemsIn(listing.deleted)).map(({ itemId }) => itemId);
      for (const part of splitList(gone, pagesAtOnce)) await searchIndex.remove(userId, part);
      const { asOf: upTo } = listing;
      for (const kind of ["live", "deleted"] as const) {
        for await (const part of highlights.walk(user, { after, upTo, kind }))
          await this.#addItems(user, changed, new Set(part.map(({ itemId }) => itemId)));
      }
      if (known.articles !== describeArticles(user)) {
        const resized = await searchIndex.findResized(userId, await articles.allSizes(user));
        await this.#addItems(user, changed, new Set(resized));
      }
    }
    for (const part of splitList([...changed.values()], pagesAtOnce)) await this.#index(user, part);
    // If it is 0, an import may be running, and it may still write items that are older than the list.
    if (listing.asOf === 0) return 0;
    const { username, revision } = user;
    await searchIndex.setState(userId, { username, asOf: listing.asOf, revision, articles: describeArticles(user) });
    return listing.asOf;
  }

  async #addItems({ username }: User, changed: Map<string, Item>, itemIds: ReadonlySet<string>): Promise<void> {
    const missing = [...itemIds].filter((itemId) => !changed.has(itemId));
    for (const [itemId, item] of await this.#deps.items.find(username, missing))
      if (!item.isDeleted) changed.set(itemId, item);
  }

  async #index(user: User, items: readonly Item[]): Promise<void> {
    const itemIds = items.map(({ itemId }) => itemId);
    const sizes = await this.#deps.articles.sizes(user, itemIds);
    for (let done = 0; done < items.length; ) done += await this.#indexFirst(user, items.slice(done), sizes);
  }

  /**
   * Indexes the first items, up to some length of their notes: copying many long notes for the thread would take a long
   * turn. Returns their number.
   */
  async #indexFirst(user: User, items: readonly Item[], sizes: ReadonlyMap<string, number>): Promise<number> {
    const { searchIndex } = this.#deps;
    const notes = new Map<string, string>();
    const pages = new Map<string, { item: Item; page: IndexedPage }>();
    let units = 0;
    for (const item of items) {
      const note = item.hasHighlights ? await readNotes(this.#deps, user, item.itemId) : "";
      notes.set(item.itemId, note);
      const { itemId, url, title, tags, state, timeAdded, changeKey } = item;
      const articleBytes = sizes.get(itemId) ?? 0;
      const contentKey = `${articleBytes} ${findBelongingsTime(item)} ${note}`;
      const fields = { itemId, url, title, tags, state, timeAdded, changeKey, site: toSite(item) };
      const page = { ...fields, articleBytes, contentKey };
      pages.set(itemId, { item, page });
      units += note.length;
      if (units > unitsAtOnce) break;
    }
    if (this.#deps.isDiskFull?.()) throw new UpdateEndedError("the disk is full");
    const wanted = await searchIndex.putPages(
      user.userId,
      [...pages.values()].map(({ page }) => page),
    );
    let contents: { page: IndexedPage; content: PageContent }[] = [];
    let contentUnits = 0;
    const put = async () => {
      if (this.#deps.isDiskFull?.()) throw new UpdateEndedError("the disk is full");
      await searchIndex.putContents(user.userId, contents);
      contents = [];
      contentUnits = 0;
    };
    for (const ids of splitList(wanted, articlesAtOnce)) {
      const isFull = (await searchIndex.size(user.userId)) > this.#limits.fileBytes;
      const part = ids.flatMap((itemId) => pages.get(itemId) ?? []);
      const read = await Promise.all(
        part.map(async ({ item, page }) => {
          const note = notes.get(page.itemId) ?? "";
          // A page without an article costs no request for it.
          const hasNoText = isFull || !sizes.has(page.itemId);
          return {
            page,
            content: hasNoText ? { ...noContent, note } : await readContent(this.#deps, user, item, note),
          };
        }),
      );
      contents.push(...read);
      contentUnits += read.reduce((sum, { content }) => sum + content.html.length + content.note.length, 0);
      if (contentUnits >= unitsAtOnce) await put();
    }
    if (contents.length > 0) await put();
    return pages.size;
  }
}

const noContent: PageContent = { author: "", note: "", html: "" };

/** With the time of the last change: one article may have left, and another of its size come. */
const describeArticles = ({ articles, articleBytes, clock }: User) => `${articles} ${articleBytes} ${clock.keptAt}`;

const hasChanged = ({ asOf, articles }: IndexState, user: User) =>
  user.clock.changedAt > asOf || user.clock.highlightsAt > asOf || articles !== describeArticles(user);

async function readNotes(
  { highlights }: Pick<IndexerPorts, "highlights">,
  user: User,
  itemId: string,
): Promise<string> {
  const notes: string[] = [];
  let length = 0;
  for await (const part of highlights.walkItem(user, itemId)) {
    for (const { quote, note } of part) {
      if (length > maxNotes) return notes.join("\n");
      notes.push(note, quote);
      length += note.length + quote.length;
    }
  }
  return notes.join("\n");
}

/** The texts of a page: only the article, or the whole page if it has no article. */
async function readContent(
  { articles }: { articles: Pick<ArticleStore, "find"> },
  user: User,
  item: Item,
  note: string,
  budget?: ByteBudget,
): Promise<PageContent> {
  const article = await articles.find(user, item.itemId, budget);
  const own = article && belongsTo(article, item) ? article : undefined;
  return { author: own?.author ?? "", note, html: describeDrawings(own?.less || own?.more || "") };
}

/** Decompressed bytes of the articles of one answer. */
const maxBytesOfAnswer = 12_000_000;

/** The texts of found pages, for snippets. */
export async function readContents(
  deps: Pick<IndexerPorts, "highlights"> & { articles: Pick<ArticleStore, "find"> },
  user: User,
  items: readonly Item[],
): Promise<PageContent[]> {
  const budget = new ByteBudget(maxBytesOfAnswer);
  const contents: PageContent[] = [];
  for (const part of splitList(items, snippetsAtOnce)) {
    const isSpent = budget.left < 0;
    const read = part.map(async (item) => {
      const note = item.hasHighlights ? await readNotes(deps, user, item.itemId) : "";
      return isSpent ? { ...noContent, note } : readContent(deps, user, item, note, budget);
    });
    contents.push(...(await Promise.all(read)));
  }
  return contents;
}
