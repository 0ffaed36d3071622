// SPDX-License-Identifier: MIT

import { IndexedDbHighlightStore, IndexedDbStore } from "@reading-list/client/indexeddb-store.ts";
import {
  type Change,
  type HighlightChange,
  type Progress,
  type ReadingListClient,
  retryRefused,
  type TextView,
} from "@reading-list/client/main.ts";
import { cutText, maxLengths } from "@reading-list/core/domain/page-fields.ts";
import { stateKey } from "../kit/browser-storage.ts";
import type { ReaderConfig } from "../kit/config.ts";
import { type Exclusively, List, type Undo } from "./list.ts";
import { Marks } from "./marks.ts";
import { type Credentials, clientFor, storageNames } from "./replicas.ts";
import { SavedFilters } from "./saved-filters.ts";
import { ServiceSearch } from "./service-search.ts";
import { Syncer } from "./syncer.ts";
import { Texts } from "./texts.ts";

export interface ChangeOptions {
  marks?: readonly HighlightChange[];
  /** Offered by the notice beside "Undo". */
  action?: { name: string; run(): unknown } | undefined;
}

/** Lists of users that are read before their sessions can be opened. */
const readLists = new Map<string, Promise<IndexedDbStore>>();

/** Reads the list of a user while the page loads its configuration. */
export function readAhead(username: string): void {
  const reading = readList(username);
  readLists.set(username, reading);
  // The session that takes it fails.
  reading.catch(() => {});
}

async function readList(username: string): Promise<IndexedDbStore> {
  const store = await IndexedDbStore.open(storageNames(username).list);
  await store.items();
  return store;
}

/** A connection of one user to the service, with the replica of the list on this device. */
export class Session {
  readonly username: string;
  readonly list: List;
  readonly texts: Texts;
  readonly marks: Marks;
  readonly syncer: Syncer;
  readonly search: ServiceSearch;
  readonly savedFilters: SavedFilters;
  /** Called for a change that the service refused. */
  onRejected: (change: Change, message: string) => void = () => {};
  onMarkRejected: (message: string) => void = () => {};
  /** Calls the service as the user. */
  client: ReadingListClient;
  readonly config: ReaderConfig;
  credentials: Credentials;
  readonly #store: IndexedDbStore;
  readonly #highlights: IndexedDbHighlightStore;
  readonly #closed = new AbortController();
  #leave = () => {};
  #keptFacts: Promise<void> | undefined;

  private constructor(
    config: ReaderConfig,
    client: ReadingListClient,
    credentials: Credentials,
    store: IndexedDbStore,
    texts: Texts,
    highlights: IndexedDbHighlightStore,
  ) {
    const { username } = credentials;
    this.username = username;
    this.config = config;
    this.credentials = credentials;
    this.client = client;
    this.#store = store;
    this.texts = texts;
    this.search = new ServiceSearch(client);
    this.savedFilters = new SavedFilters(username);
    const names = storageNames(username);
    const exclusively: Exclusively = (run) =>
      // Only in secure contexts. Elsewhere two tabs may sync at once, which repeats calls and loses nothing.
      navigator.locks ? (navigator.locks.request(names.list, run) as ReturnType<typeof run>) : run();
    this.list = new List(store, exclusively);
    store.onOtherTab(() => void this.#reload());
    this.#highlights = highlights;
    this.marks = new Marks(highlights, exclusively, () => this.syncer.send());
    highlights.onOtherTab(() => void this.#reload());
    // Tells other tabs that this one uses the list.
    void navigator.locks?.request(
      `open ${username}`,
      { mode: "shared" },
      () =>
        new Promise<void>((leave) => {
          this.#leave = leave;
        }),
    );
    // A tab that is closed right after a change has no time for a sync. Changes that arrive twice do no harm.
    const sendUnsent = () => {
      const { unsentChanges } = this.list;
      if (unsentChanges.length > 0) this.client.send(unsentChanges).catch(() => {});
    };
    addEventListener("pagehide", sendUnsent, { signal: this.#closed.signal });
    this.syncer = new Syncer({
      client,
      store,
      highlights,
      exclusively,
      key: `${stateKey}.synced.${username}`,
      onChange: () => this.#reload(),
      onRejected: (change, message) => this.onRejected(change, message),
      onMarkRejected: (message) => this.onMarkRejected(message),
      onSuccess: () => {
        this.search.retry();
        void this.texts.fill(this.list.items.value ?? []);
      },
    });
  }

  /** Opens the replica, which is empty at the first time, and starts to sync it. */
  static async open(config: ReaderConfig, credentials: Credentials): Promise<Session> {
    const { username } = credentials;
    const client = clientFor(config, credentials);
    const names = storageNames(username);
    let session: Session | undefined;
    const onFetched = (url: string, { title }: TextView) => session?.setTitle(url, title);
    const ahead = readLists.get(username);
    // If it has failed, the next attempt reads the list again.
    readLists.delete(username);
    const [store, texts, highlights] = await Promise.all([
      ahead ?? readList(username),
      Texts.open(names.texts, { client, onFetched }),
      openHighlights(names),
    ]);
    session = new Session(config, client, credentials, store, texts, highlights);
    await Promise.all([session.list.load(), session.marks.load()]);
    session.syncer.start();
    return session;
  }

  /**
   * Queues changes, and new marks, shows them, and sends them soon. Returns a function that undoes them. If the browser
   * cannot store them, the state of the sync says why, and the error is thrown.
   */
  async change(changes: readonly Change[], { marks = [] }: ChangeOptions = {}): Promise<Undo> {
    try {
      const undo = await this.list.change(changes);
      const undoMarks = marks.length > 0 ? await this.marks.add(marks) : undefined;
      this.syncer.request();
      return async () => {
        await undoMarks?.();
        await undo();
        this.syncer.request();
      };
    } catch (error) {
      this.syncer.fail(error);
      throw error;
    }
  }

  /** Sends the queued changes. Throws `ApiError`. */
  async sendNow(): Promise<void> {
    await this.list.send(this.client, (change, message) => this.onRejected(change, message));
    this.syncer.request();
  }

  /** Shows facts of all saved texts of the service, and not only of texts that are cached here. */
  loadKeptFacts(): Promise<void> {
    this.#keptFacts ??= this.#loadKeptFacts().catch((error) => {
      this.#keptFacts = undefined;
      // A full disk ends the cache, not the reader.
      if (!this.#closed.signal.aborted && !(error instanceof DOMException)) throw error;
    });
    return this.#keptFacts;
  }

  async #loadKeptFacts(): Promise<void> {
    const { readKeptFacts } = await import("./kept-facts.ts");
    this.texts.addFacts(await readKeptFacts(storageNames(this.username).facts, this.client, this.#closed.signal));
  }

  /** Stores how far a page was read. It is sent at once; if the user leaves the page, the list is synced, too. */
  setProgress(url: string, { percent, anchor }: Progress, isLeaving: boolean): void {
    if (!this.list.find(url)) return;
    this.list.change([{ kind: "progress", url, percent, anchor }]).then(
      () => (isLeaving ? this.syncer.request() : this.syncer.send()),
      (error) => this.syncer.fail(error),
    );
  }

  /** Gives an item that has no title but its URL the title that the text view has found, on all devices. */
  setTitle(url: string, title: string | undefined): void {
    const item = this.list.find(url);
    if (!title || !item || item.title !== item.url) return;
    const change: Change = { kind: "title", url: item.url, title: cutText(title, maxLengths.title) };
    // `change` has shown why it failed.
    void this.change([change]).catch(() => {});
  }

  /** Shows the store, unless the session is closed meanwhile: then the store is closed, too. */
  async #reload(): Promise<void> {
    try {
      await Promise.all([this.list.load(), this.marks.load()]);
    } catch (error) {
      if (!this.#closed.signal.aborted) throw error;
    }
  }

  /** Continues with another password, which the service has accepted. */
  renew(password: string): void {
    this.credentials = { username: this.username, password };
    const client = clientFor(this.config, this.credentials);
    this.client = client;
    this.texts.renew(client);
    this.search.renew(client);
    this.syncer.renew(client);
  }

  close(): void {
    this.#closed.abort();
    this.syncer.stop();
    this.search.close();
    this.#leave();
    this.texts.close();
    this.#store.close();
    this.#highlights.close();
  }
}

async function openHighlights(names: ReturnType<typeof storageNames>): Promise<IndexedDbHighlightStore> {
  const store = await IndexedDbHighlightStore.open(names.highlights);
  const databases = await indexedDB.databases();
  if (databases.some(({ name }) => name === names.marks)) {
    const { takeFormerMarks } = await import("./former-marks.ts");
    await takeFormerMarks(names.marks, store);
  }
  // Such as marks of a page that is in the list again.
  await retryRefused(store);
  return store;
}
