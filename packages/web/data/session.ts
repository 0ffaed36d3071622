// SPDX-License-Identifier: MIT

import { IndexedDbStore } from "@reading-list/client/indexeddb-store.ts";
import { ApiError, type Change, type Progress, ReadingListClient, type TextView } from "@reading-list/client/main.ts";
import { cutText, maxLengths } from "@reading-list/core/domain/page-fields.ts";
import { deleteDB } from "idb";
import { stateKey } from "../kit/browser-storage.ts";
import type { ReaderConfig } from "../kit/config.ts";
import { type Exclusively, List, type Undo } from "./list.ts";
import { IndexedDbMarkStore } from "./mark-store.ts";
import { Marks } from "./marks.ts";
import { Syncer } from "./syncer.ts";
import { Texts } from "./texts.ts";

export interface Credentials {
  username: string;
  password: string;
}

/** A connection of one user to the service, with the replica of the list on this device. */
export class Session {
  readonly username: string;
  readonly list: List;
  readonly texts: Texts;
  readonly marks: Marks;
  readonly syncer: Syncer;
  /** Called for a change that the service refused. */
  onRejected: (change: Change, message: string) => void = () => {};
  onMarkRejected: (message: string) => void = () => {};
  /** Calls the service as the user. */
  client: ReadingListClient;
  readonly #config: ReaderConfig;
  readonly #store: IndexedDbStore;
  readonly #markStore: IndexedDbMarkStore;
  #isClosed = false;
  #leave = () => {};

  private constructor(
    config: ReaderConfig,
    client: ReadingListClient,
    username: string,
    store: IndexedDbStore,
    texts: Texts,
    markStore: IndexedDbMarkStore,
  ) {
    this.username = username;
    this.#config = config;
    this.client = client;
    this.#store = store;
    this.texts = texts;
    const names = namesOf(username);
    const exclusively: Exclusively = (run) =>
      // Only in secure contexts. Elsewhere two tabs may sync at once, which repeats calls and loses nothing.
      navigator.locks ? (navigator.locks.request(names.list, run) as ReturnType<typeof run>) : run();
    this.list = new List(store, exclusively);
    store.onOtherTab(() => void this.#reload());
    this.#markStore = markStore;
    this.marks = new Marks(markStore, () => this.syncer.send());
    // Tells other tabs that this one uses the list.
    void navigator.locks?.request(
      `open ${username}`,
      { mode: "shared" },
      () =>
        new Promise<void>((leave) => {
          this.#leave = leave;
        }),
    );
    this.syncer = new Syncer({
      client,
      store,
      exclusively,
      key: `${stateKey}.synced.${username}`,
      onChange: () => this.#reload(),
      onRejected: (change, message) => this.onRejected(change, message),
      syncMarks: (syncing, sendOnly) => this.#syncMarks(syncing, sendOnly),
      onSuccess: () => void this.texts.fill(this.list.items.value ?? []),
    });
  }

  /** Opens the replica, which is empty at the first time, and starts to sync it. */
  static async open(config: ReaderConfig, credentials: Credentials): Promise<Session> {
    const { username } = credentials;
    const client = clientFor(config, credentials);
    const names = namesOf(username);
    let session: Session | undefined;
    const onFetched = (url: string, { title }: TextView) => session?.setTitle(url, title);
    const [store, texts, markStore] = await Promise.all([
      IndexedDbStore.open(names.list),
      Texts.open(names.texts, { client, onFetched }),
      IndexedDbMarkStore.open(names.marks),
    ]);
    session = new Session(config, client, username, store, texts, markStore);
    await Promise.all([session.list.load(), session.marks.load()]);
    session.syncer.start();
    return session;
  }

  /**
   * Queues changes, shows them, and sends them soon. Returns a function that undoes them. If the browser cannot store
   * them, the state of the sync says why, and the error is thrown.
   */
  async change(changes: readonly Change[], { hold = 0 }: { hold?: number } = {}): Promise<Undo> {
    // First, so that a sync that is due does not send them.
    if (hold > 0) this.syncer.hold(hold);
    try {
      const undo = await this.list.change(changes);
      this.syncer.request();
      return async () => {
        await undo();
        this.syncer.syncNow();
      };
    } catch (error) {
      this.syncer.fail(error);
      throw error;
    }
  }

  /** Sends the queued changes, also a deletion that is held for "Undo". Throws `ApiError`. */
  async sendNow(): Promise<void> {
    await this.list.send(this.client, (change, message) => this.onRejected(change, message));
    this.syncer.syncNow();
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
      await this.list.load();
    } catch (error) {
      if (!this.#isClosed) throw error;
    }
  }

  async #syncMarks(client: ReadingListClient, sendOnly: boolean): Promise<void> {
    try {
      await this.#markStore.push(client, (message) => this.onMarkRejected(message));
      if (!sendOnly) await this.#markStore.pull(client, (url) => this.list.find(url) !== undefined);
    } catch (error) {
      // An older service has no marks.
      if (!(error instanceof ApiError) || error.kind !== "notFound") throw error;
    }
    await this.marks.load();
  }

  /** Continues with another password, which the service has accepted. */
  renew(password: string): void {
    const client = clientFor(this.#config, { username: this.username, password });
    this.client = client;
    this.texts.renew(client);
    this.syncer.renew(client);
  }

  close(): void {
    this.#isClosed = true;
    this.syncer.stop();
    this.#leave();
    this.texts.close();
    this.#store.close();
    this.#markStore.close();
  }
}

const namesOf = (username: string) => ({
  list: `reading-list-of-${username}`,
  texts: `texts-of-${username}`,
  marks: `marks-of-${username}`,
});

export const clientFor = (config: ReaderConfig, credentials: Credentials) =>
  new ReadingListClient({ ...config, ...credentials, retries: 1 });

/** Deletes the list and the cached texts of a user. A tab that has them open must close them first. */
export async function deleteReplica(username: string): Promise<void> {
  await Promise.all(Object.values(namesOf(username)).map((name) => deleteDB(name)));
}

/** Deletes the lists and texts of all users but one, unless another tab has them open. */
export async function deleteOtherReplicas(username: string | undefined): Promise<void> {
  const kept = new Set(username === undefined ? [] : Object.values(namesOf(username)));
  const { held = [] } = (await navigator.locks?.query()) ?? {};
  for (const { name: lock = "" } of held)
    for (const name of Object.values(namesOf(lock.replace(/^open /, "")))) kept.add(name);
  const isReplica = (name: string) => /^(reading-list|texts|marks)-of-/.test(name);
  for (const { name = "" } of await indexedDB.databases()) {
    // Without locks another tab may have it open, and the deletion waits for that tab; this one does not.
    if (isReplica(name) && !kept.has(name))
      await new Promise<void>((done) => void deleteDB(name, { blocked: () => done() }).then(done));
  }
}
