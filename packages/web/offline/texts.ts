import type { ReadingListClient, TextView } from "@reading-list/client/main.ts";
import { type DBSchema, type IDBPDatabase, openDB } from "idb";

/** The text of a page in the cache. It has the page's images; whoever shows it may leave them out. */
export interface CachedText extends TextView {
  url: string;
  /** Minutes that reading it takes. */
  minutes: number;
  /** Of `html` in memory. */
  bytes: number;
  cachedAt: Date;
}

interface Schema extends DBSchema {
  texts: { key: string; value: CachedText };
}

/** The texts of pages: cached ones, which are there without a connection, and others from the service. */
export class Texts {
  readonly #database: IDBPDatabase<Schema>;
  readonly #client: ReadingListClient;

  private constructor(database: IDBPDatabase<Schema>, client: ReadingListClient) {
    this.#database = database;
    this.#client = client;
  }

  static async open(name: string, client: ReadingListClient): Promise<Texts> {
    const database = await openDB<Schema>(name, 1, {
      upgrade(created) {
        created.createObjectStore("texts", { keyPath: "url" });
      },
    });
    return new Texts(database, client);
  }

  /** The cached text of a page. */
  find(url: string): Promise<CachedText | undefined> {
    return this.#database.get("texts", url);
  }

  /**
   * The text of a page from the cache, or else from the service: an item's, or a next page of its article. Throws
   * `ApiError`, or the reason of `signal`.
   */
  async load(url: string, signal?: AbortSignal): Promise<TextView> {
    return (await this.find(url)) ?? this.#client.text(url, { images: true, signal });
  }
}
