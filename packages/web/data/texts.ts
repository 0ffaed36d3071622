// SPDX-License-Identifier: MIT

import {
  ApiError,
  type ArticleOptions,
  type LocalItem,
  type ReadingListClient,
  type TextOptions,
  type TextView,
} from "@reading-list/client/main.ts";
import { type IDBPDatabase, openDB } from "idb";
import { readStored, readStoredJson, stateKey, store } from "../kit/browser-storage.ts";
import { Observable } from "../kit/observable.ts";
import { toPictureKey } from "../kit/picture-key.ts";
import { cutExcerpt, readingMinutes, toPlainText } from "../kit/plain-text.ts";
import type { SearchableText } from "../kit/searchable-text.ts";
import { areImagesShown } from "../kit/settings.ts";
import type { CachedFacts, CachedText, TextFacts, TextsSchema } from "./cached-text.ts";

/** Articles that were opened last and stay cached. */
const maxOpened = 50;
/** Milliseconds until a page without a text is tried again: if the service cannot read it, and if it may be able to. */
const dayMs = 86_400_000;
const hourMs = 3_600_000;
/** URLs of the articles that were opened last; signing out removes it. */
const openedKey = `${stateKey}.opened`;
/** Texts that were read before this time, in milliseconds, are read again. */
const refreshKey = `${stateKey}.refresh`;

export interface TextsOptions {
  client: ReadingListClient;
  /** Called when the text of a page was fetched. */
  onFetched(url: string, view: TextView): void;
}

/** The texts of pages: cached ones, which are there without a connection, and others from the service. */
export class Texts {
  /** Facts by URL, of cached texts, and of other texts that the service keeps once they were needed. */
  readonly facts = new Observable<ReadonlyMap<string, TextFacts>>(new Map());
  #cached: ReadonlyMap<string, CachedFacts> = new Map();
  #others: ReadonlyMap<string, TextFacts> = new Map();
  readonly #database: IDBPDatabase<TextsSchema>;
  readonly #onFetched: TextsOptions["onFetched"];
  #client: ReadingListClient;
  /** The service has refused the password. */
  #isRefused = false;
  /** An older service does not support saved pictures. */
  #hasPictures = true;
  #caching = Promise.resolve();
  readonly #stopped = new AbortController();
  /** The words of cached texts by their facts, which are new whenever the text is. */
  readonly #words = new WeakMap<CachedFacts, Promise<SearchableText | undefined>>();
  #filling: Promise<void> | undefined;

  private constructor(database: IDBPDatabase<TextsSchema>, { client, onFetched }: TextsOptions) {
    this.#database = database;
    this.#client = client;
    this.#onFetched = onFetched;
  }

  static async open(name: string, options: TextsOptions): Promise<Texts> {
    const database = await openDB<TextsSchema>(name, 1, {
      upgrade(created) {
        created.createObjectStore("texts", { keyPath: "url" });
        created.createObjectStore("failures");
      },
    });
    const texts = new Texts(database, options);
    const cached = await database.getAll("texts");
    texts.#showFacts(new Map(cached.filter(({ html }) => html).map((text) => [text.url, factsToKeep(text)])));
    return texts;
  }

  /** Shows facts of texts that are not cached, too. */
  addFacts(others: ReadonlyMap<string, TextFacts>): void {
    this.#others = others;
    this.#showFacts(this.#cached);
  }

  #showFacts(cached: ReadonlyMap<string, CachedFacts>): void {
    this.#cached = cached;
    this.facts.value = new Map([...this.#others, ...cached]);
  }

  close(): void {
    this.#stopped.abort();
    this.#database.close();
  }

  /**
   * The text of an item from the cache or, if it is not there or `isFresh`, from the service. A text that is not empty is
   * cached, and stays readable after the item is archived. Throws `ApiError`, or the reason of `signal`.
   */
  async read(url: string, { isFresh, signal }: { isFresh?: boolean; signal?: AbortSignal } = {}): Promise<TextView> {
    store(openedKey, JSON.stringify([url, ...openedUrls().filter((known) => known !== url)].slice(0, maxOpened)));
    // Reading works even if the browser has deleted the cache.
    const cached = isFresh ? undefined : await this.#find(url).catch(() => undefined);
    if (cached) return cached;
    const hasFailed = (await this.#database.get("failures", url).catch(() => undefined)) !== undefined;
    const view = await this.#readAgain(url, hasFailed, { refresh: isFresh, signal });
    // A full disk ends the cache, not the reader.
    await (view.html ? this.#put(url, view) : this.#fail(url, dayMs)).catch(() => {});
    this.#onFetched(url, view);
    return view;
  }

  /**
   * The kept article of a page, which may have been kept after a failure, such as by the extension. If the page has failed
   * here and the service keeps a view that has no article, it is read again.
   */
  async #readAgain(url: string, hasFailed: boolean, options: ArticleOptions): Promise<TextView> {
    const view = await this.readKept(url, options);
    return hasFailed && !view.html && !options.refresh ? this.readKept(url, { ...options, refresh: true }) : view;
  }

  /**
   * The article that the service keeps of an item, even if its page is gone; the text of its page if the service keeps
   * none: a page that is not sent yet, a full quota, an older service. Throws `ApiError`, or the reason of `signal`.
   */
  async readKept(url: string, options: Omit<ArticleOptions, "html"> = {}): Promise<TextView> {
    const { refresh: _, ...withoutRefresh } = options;
    // Each refused password brings the lockout closer.
    if (this.#isRefused) return this.load(url, withoutRefresh);
    try {
      return await this.#client.article(url, { images: this.#hasPictures && "kept", ...options });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (this.#hasPictures && error.kind === "invalid" && (error.code ?? "invalid") === "invalid") {
        this.#hasPictures = false;
        return this.readKept(url, options);
      }
      this.#isRefused = error.kind === "unauthorized";
      const isNotKept = error.kind === "notFound" || error.code === "not_in_list" || error.code === "quota_full";
      if (!isNotKept && !this.#isRefused) throw error;
      return this.load(url, withoutRefresh);
    }
  }

  /**
   * The text of any page, such as the next one of an article, without pictures: none is kept. Throws `ApiError`, or the
   * reason of `signal`.
   */
  load(url: string, options: Pick<TextOptions, "mode" | "signal"> = {}): Promise<TextView> {
    return this.#client.text(url, options);
  }

  /** A book of pages of the list. Throws `ApiError`. */
  book(urls: readonly string[]): Promise<Blob> {
    return this.#client.book(urls);
  }

  /** Continues with a client that has another password. */
  renew(client: ReadingListClient): void {
    this.#client = client;
    this.#isRefused = false;
  }

  /** The words of the cached texts by URL. Texts that are new since the last call are folded in turns of the event loop. */
  async searchable(): Promise<ReadonlyMap<string, SearchableText>> {
    const searchable = new Map<string, SearchableText>();
    for (const [url, facts] of this.#cached) {
      const words = this.#words.get(facts) ?? this.#readWords(url);
      this.#words.set(facts, words);
      const text = await words;
      if (text) searchable.set(url, text);
    }
    return searchable;
  }

  async #readWords(url: string): Promise<SearchableText | undefined> {
    const [html, { searchableText }] = await Promise.all([this.findCached(url), import("../kit/searchable-text.ts")]);
    return html === undefined ? undefined : searchableText(html);
  }

  /**
   * Caches the texts of the newest unread items, one after the other, and evicts all others except the most recently
   * opened ones. It ends early if the connection or the key's calls run out; the next call continues.
   */
  fill(items: readonly LocalItem[]): Promise<void> {
    this.#filling ??= this.#fill(items)
      .catch((error) => {
        // The database is closed when the user signs out. A full disk ends the cache, not the reader.
        if (!this.#stopped.signal.aborted && !(error instanceof DOMException)) throw error;
      })
      .finally(() => {
        this.#filling = undefined;
      });
    return this.#filling;
  }

  /** Reads all cached texts again from their sites, now and at the next syncs. A text stays until there is a new one. */
  async refresh(items: readonly LocalItem[]): Promise<void> {
    store(refreshKey, String(Date.now()));
    await this.#filling;
    await this.#database.clear("failures");
    await this.fill(items);
  }

  async #fill(items: readonly LocalItem[]): Promise<void> {
    // Not of the first load.
    const { fillTexts } = await import("./fill-texts.ts");
    await fillTexts(items, {
      database: this.#database,
      cached: () => this.#cached,
      limits: () => this.#client.limits,
      refreshed: Number(readStored(refreshKey) ?? 0),
      opened: openedUrls(),
      findFacts: async (url) => {
        const found = await this.#find(url);
        return found && factsToKeep(found);
      },
      cache: (url, left, options) => this.#cache(url, left, options),
      keep: (facts) => this.#showFacts(facts),
    });
  }

  /** Characters that were cached; Infinity if none can be for now. */
  async #cache(
    url: string,
    left: number,
    { refresh, hasFailed }: { refresh: boolean; hasFailed: boolean },
  ): Promise<number> {
    try {
      const view = await this.#readAgain(url, hasFailed, { refresh, signal: this.#stopped.signal });
      this.#onFetched(url, view);
      if (view.html.length > left) return Number.POSITIVE_INFINITY;
      if (view.html) await this.#put(url, view);
      else await this.#fail(url, dayMs);
      return view.html.length;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.kind === "invalid") await this.#fail(url, dayMs);
      // The extraction of this page may take too long; later calls try the other pages first.
      if (error.kind === "unavailable") await this.#fail(url, hourMs);
      return error.kind === "invalid" ? 0 : Number.POSITIVE_INFINITY;
    }
  }

  /** The article of a page as it is on this device, without asking the service. */
  async findCached(url: string): Promise<string | undefined> {
    return (await this.#find(url).catch(() => undefined))?.html;
  }

  /** The cached text of a page. Older versions have cached empty ones. */
  async #find(url: string): Promise<CachedText | undefined> {
    const cached = await this.#database.get("texts", url);
    return cached?.html ? cached : undefined;
  }

  async #put(url: string, view: TextView): Promise<void> {
    // Not of the first load.
    const { cachePictures, findExpiry, picturesIn } = await import("./pictures.ts");
    const pictures = [view.imageUrl ?? "", ...picturesIn(view.html)].filter(toPictureKey);
    // A text of an older service is read again the next day: it may keep pictures then.
    const picturesUntil = this.#hasPictures ? findExpiry(pictures) : (Date.now() + dayMs) / 1000;
    const minutes = readingMinutes(toPlainText(view.html));
    const text = { ...view, url, minutes, readAt: new Date(), picturesUntil };
    await this.#database.put("texts", text);
    await this.#database.delete("failures", url);
    this.#showFacts(new Map(this.#cached).set(url, factsToKeep(text)));
    // A full disk ends the cache, not the reader.
    if (areImagesShown()) this.#caching = this.#caching.then(() => cachePictures(pictures)).catch(() => {});
  }

  async #fail(url: string, milliseconds: number): Promise<void> {
    await this.#database.put("failures", new Date(Date.now() + milliseconds), url);
  }
}

/** Without the text, which would stay in memory. */
const factsToKeep = ({ html, minutes, imageUrl, author, readAt, picturesUntil }: CachedText): CachedFacts => ({
  minutes,
  imageUrl,
  author,
  excerpt: cutExcerpt(html),
  size: html.length,
  readAt,
  picturesUntil,
});

const openedUrls = () => readStoredJson<string[]>(openedKey, []);
