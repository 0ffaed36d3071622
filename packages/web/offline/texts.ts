import {
  ApiError,
  type LocalItem,
  type ReadingListClient,
  type TextOptions,
  type TextView,
} from "@reading-list/client/main.ts";
import { type DBSchema, type IDBPDatabase, openDB } from "idb";
import { Observable } from "../app/observable.ts";
import { plainTextOf, readingMinutes } from "./plain-text.ts";

/** The text of a page in the cache. It has the page's images; whoever shows it may leave them out. */
export interface CachedText extends TextView {
  url: string;
  /** Minutes that reading it takes. */
  minutes: number;
}

interface Schema extends DBSchema {
  texts: { key: string; value: CachedText };
  /** When the text of a page could not be had. */
  failures: { key: string; value: Date };
}

/** Texts of the newest unread items are cached: so many, and so many characters of HTML, at most. */
const mostTexts = 100;
const mostCharacters = 15_000_000;
/** A failed page is tried again after a day. */
const retryAfter = 86_400_000;
/** The share of the key's calls that is left to others. */
const reserve = 0.25;

/** The texts of pages: cached ones, which are there without a connection, and others from the service. */
export class Texts {
  /** Minutes of the cached texts by URL. */
  readonly minutes = new Observable<ReadonlyMap<string, number>>(new Map());
  readonly #database: IDBPDatabase<Schema>;
  readonly #client: ReadingListClient;
  readonly #stopped = new AbortController();
  #searchable: Promise<ReadonlyMap<string, string>> | undefined;
  #filling: Promise<void> | undefined;

  private constructor(database: IDBPDatabase<Schema>, client: ReadingListClient) {
    this.#database = database;
    this.#client = client;
  }

  static async open(name: string, client: ReadingListClient): Promise<Texts> {
    const database = await openDB<Schema>(name, 1, {
      upgrade(created) {
        created.createObjectStore("texts", { keyPath: "url" });
        created.createObjectStore("failures");
      },
    });
    return new Texts(database, client);
  }

  close(): void {
    this.#stopped.abort();
    this.#database.close();
  }

  /** The cached text of a page. */
  find(url: string): Promise<CachedText | undefined> {
    return this.#database.get("texts", url);
  }

  /**
   * The text of a page from the cache, or else from the service: an item's, or a next page of its article. Throws
   * `ApiError`, or the reason of `signal`.
   */
  async load(url: string, options: Pick<TextOptions, "mode" | "signal"> = {}): Promise<TextView> {
    // The cache has articles, not all that is on a page.
    const cached = options.mode === "more" ? undefined : await this.find(url);
    return cached ?? this.#client.text(url, { images: true, ...options });
  }

  /** Reads the reading times of what is cached. */
  async loadMinutes(): Promise<void> {
    const texts = await this.#database.getAll("texts");
    this.minutes.value = new Map(texts.map(({ url, minutes }) => [url, minutes]));
  }

  /** The words of the cached texts by URL, in lower case. */
  searchable(): Promise<ReadonlyMap<string, string>> {
    this.#searchable ??= this.#database
      .getAll("texts")
      .then((texts) => new Map(texts.map(({ url, html }) => [url, plainTextOf(html).toLowerCase()])));
    return this.#searchable;
  }

  /**
   * Caches the texts of the newest unread items, one after the other, and evicts all others. It ends early if the
   * connection or the key's calls run out; the next call continues.
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

  async #fill(items: readonly LocalItem[]): Promise<void> {
    const wanted = items.filter(({ state }) => state === "unread").slice(0, mostTexts);
    const urls = new Set(wanted.map(({ url }) => url));
    await this.#evict(urls);
    let left = mostCharacters;
    for (const url of urls) {
      const cached = await this.find(url);
      // A text that does not fit any more makes room for those of newer items.
      if (cached && cached.html.length > left) await this.#evictOne(url);
      if (cached) left -= cached.html.length;
      else left -= await this.#cache(url, left);
      if (left <= 0 || this.#isShort()) return;
    }
  }

  /** Characters that were cached; Infinity if none can be for now. */
  async #cache(url: string, left: number): Promise<number> {
    const failedAt = await this.#database.get("failures", url);
    if (failedAt && Math.abs(Date.now() - failedAt.getTime()) < retryAfter) return 0;
    try {
      const view = await this.#client.text(url, { images: true, signal: this.#stopped.signal });
      if (view.html.length > left) return Number.POSITIVE_INFINITY;
      const minutes = readingMinutes(plainTextOf(view.html));
      await this.#database.put("texts", { ...view, url, minutes });
      this.#searchable = undefined;
      this.minutes.value = new Map(this.minutes.value).set(url, minutes);
      return view.html.length;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.kind !== "invalid") return Number.POSITIVE_INFINITY;
      await this.#database.put("failures", new Date(), url);
      return 0;
    }
  }

  /** The key is shared by all users of the reader, so the cache leaves them a part of its calls. */
  #isShort(): boolean {
    const { key } = this.#client.limits ?? {};
    return key !== undefined && key.remaining < reserve * key.limit;
  }

  async #evict(wanted: ReadonlySet<string>): Promise<void> {
    for (const name of ["texts", "failures"] as const) {
      const transaction = this.#database.transaction(name, "readwrite");
      for (const url of await transaction.store.getAllKeys()) {
        if (!wanted.has(url)) await transaction.store.delete(url);
      }
      await transaction.done;
    }
    const minutes = [...this.minutes.value].filter(([url]) => wanted.has(url));
    if (minutes.length === this.minutes.value.size) return;
    this.minutes.value = new Map(minutes);
    this.#searchable = undefined;
  }

  async #evictOne(url: string): Promise<void> {
    await this.#database.delete("texts", url);
    this.#searchable = undefined;
  }
}
