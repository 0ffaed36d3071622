import { IndexedDbStore } from "@reading-list/client/indexeddb-store.ts";
import { type Change, ReadingListClient } from "@reading-list/client/main.ts";
import type { Config } from "../app/config.ts";
import { type Exclusively, List } from "../list/list.ts";
import { Syncer } from "../offline/syncer.ts";
import { Texts } from "../offline/texts.ts";

export interface Credentials {
  username: string;
  password: string;
}

/** A connection of one user to the service, with the replica of the list on this device. */
export class Session {
  readonly username: string;
  readonly list: List;
  readonly texts: Texts;
  readonly syncer: Syncer;
  /** Is told about a change that the service refused. */
  onRejected: (change: Change, message: string) => void = () => {};
  readonly #config: Config;
  readonly #store: IndexedDbStore;
  readonly #channel: BroadcastChannel;
  #isClosed = false;

  private constructor(
    config: Config,
    client: ReadingListClient,
    username: string,
    store: IndexedDbStore,
    texts: Texts,
  ) {
    this.username = username;
    this.#config = config;
    this.#store = store;
    this.texts = texts;
    const names = namesOf(username);
    const exclusively: Exclusively = (run) =>
      // Only in secure contexts. Elsewhere two tabs may sync at once, which repeats calls and loses nothing.
      navigator.locks ? (navigator.locks.request(names.list, run) as ReturnType<typeof run>) : run();
    this.list = new List(store, exclusively);
    this.#channel = new BroadcastChannel(names.list);
    this.#channel.onmessage = () => void this.#reload();
    this.syncer = new Syncer({
      client,
      store,
      exclusively,
      key: `${stateKey}.synced.${username}`,
      onChange: async () => {
        await this.#reload();
        if (!this.#isClosed) this.#channel.postMessage("changed");
      },
      onRejected: (change, message) => this.onRejected(change, message),
      onSuccess: () => void this.texts.fill(this.list.items.value ?? []),
    });
  }

  /** Opens the replica, which is empty at the first time, and starts to sync it. */
  static async open(config: Config, credentials: Credentials): Promise<Session> {
    const { username } = credentials;
    const client = clientFor(config, credentials);
    const names = namesOf(username);
    const [store, texts] = await Promise.all([IndexedDbStore.open(names.list), Texts.open(names.texts, client)]);
    const session = new Session(config, client, username, store, texts);
    await Promise.all([session.list.load(), texts.loadMinutes()]);
    session.syncer.start();
    return session;
  }

  /** Queues changes, shows them, and sends them soon. Returns what takes them back. */
  async change(changes: readonly Change[], { hold = 0 }: { hold?: number } = {}): Promise<() => Promise<void>> {
    // First, so that a sync that is due does not send them.
    if (hold > 0) this.syncer.hold(hold);
    const undo = await this.list.change(changes);
    this.#channel.postMessage("changed");
    this.syncer.request();
    return async () => {
      await undo();
      this.#channel.postMessage("changed");
      this.syncer.syncNow();
    };
  }

  /** Shows what is in the store, unless the session is closed meanwhile: then there is no store any more. */
  async #reload(): Promise<void> {
    try {
      await this.list.load();
    } catch (error) {
      if (!this.#isClosed) throw error;
    }
  }

  /** Continues with another password. Throws `ApiError` if the service refuses it. */
  async renew(password: string): Promise<void> {
    const client = clientFor(this.#config, { username: this.username, password });
    await client.auth();
    this.syncer.renew(client);
  }

  close(): void {
    this.#isClosed = true;
    this.syncer.stop();
    this.#channel.close();
    this.texts.close();
    this.#store.close();
  }
}

/** What `localStorage` holds besides settings begins so. */
export const stateKey = "reading-list.state";

const namesOf = (username: string) => ({ list: `reading-list-of-${username}`, texts: `texts-of-${username}` });

export const clientFor = (config: Config, credentials: Credentials) =>
  new ReadingListClient({ ...config, ...credentials, retries: 1 });

export async function hasReplica(username: string): Promise<boolean> {
  return (await indexedDB.databases()).some(({ name }) => name === namesOf(username).list);
}

/** Deletes the replica and the cached texts. */
export async function deleteReplica(username: string): Promise<void> {
  await Promise.all(
    Object.values(namesOf(username)).map(
      (name) =>
        new Promise<void>((resolve, reject) => {
          const request = indexedDB.deleteDatabase(name);
          // If another tab has it open, it waits until that tab, which is told, has closed it.
          request.onsuccess = () => resolve();
          request.onerror = () => reject(request.error);
        }),
    ),
  );
}
