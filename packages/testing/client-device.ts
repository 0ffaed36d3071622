// SPDX-License-Identifier: MIT

import {
  ApiError,
  type Change,
  type HighlightChange,
  localItems,
  MemoryHighlightStore,
  MemoryStore,
  ReadingListClient,
  type TransportOptions,
} from "@reading-list/client/main.ts";
import type { Account, ServiceClient } from "./client.ts";

/** Failed syncs in a row after which a device gives up. */
const maxTries = 100;

/** The fields of a page except its times. */
export interface ShownPage {
  title: string;
  tags: string;
  state: "unread" | "read";
}

/** The fields of a highlight by which devices are compared. */
export interface ShownHighlight {
  url: string;
  note: string;
  color: string;
}

/** A device that crashes before, or right after, one of the next commits of its stores. */
class Crashes {
  #commitsLeft = Number.POSITIVE_INFINITY;
  #isLate = false;

  after(commits: number, isLate: boolean): void {
    this.#commitsLeft = commits;
    this.#isLate = isLate;
  }

  async commit(commit: () => Promise<void>): Promise<void> {
    const isCrash = this.#commitsLeft-- <= 0;
    if (isCrash) this.#commitsLeft = Number.POSITIVE_INFINITY;
    if (!isCrash || this.#isLate) await commit();
    if (isCrash) throw new CrashError();
  }
}

class CrashingStore extends MemoryStore {
  readonly #crashes: Crashes;

  constructor(crashes: Crashes) {
    super();
    this.#crashes = crashes;
  }

  override commit(...step: Parameters<MemoryStore["commit"]>): Promise<void> {
    return this.#crashes.commit(() => super.commit(...step));
  }
}

class CrashingHighlightStore extends MemoryHighlightStore {
  readonly #crashes: Crashes;

  constructor(crashes: Crashes) {
    super();
    this.#crashes = crashes;
  }

  override commit(...step: Parameters<MemoryHighlightStore["commit"]>): Promise<void> {
    return this.#crashes.commit(() => super.commit(...step));
  }
}

class CrashError extends Error {}

/** A device that keeps a replica by packages/client, over a network that may lose calls. */
export class ClientDevice {
  readonly #client: ReadingListClient;
  readonly #crashes = new Crashes();
  readonly #store = new CrashingStore(this.#crashes);
  readonly #highlights = new CrashingHighlightStore(this.#crashes);
  /** The ids that the yields of `sync` make up, without a look at the store. */
  readonly #told = new Set<string>();

  constructor({ baseUrl, apiKey }: ServiceClient, account: Account, transport: TransportOptions) {
    this.#client = new ReadingListClient({ baseUrl, apiKey, ...account, ...transport });
  }

  /** Makes the next sync fetch the whole list again, by pages of so many items. */
  async forget(count: number): Promise<void> {
    const { sent } = await this.#store.state();
    await this.#store.commit({ state: { sent, walk: { count, page: 1, isOver: false } } });
  }

  async change(change: Change): Promise<void> {
    await this.#store.enqueue([change]);
  }

  mark = (change: HighlightChange) => this.#highlights.enqueue([change]);

  /** Syncs, unless a commit crashes: then the device has what it had stored by then. */
  async syncAndCrash(commits: number, isLate: boolean): Promise<void> {
    this.#crashes.after(commits, isLate);
    await this.sync();
    this.#crashes.after(Number.POSITIVE_INFINITY, false);
  }

  /** Syncs, again and again while calls fail. */
  async sync(): Promise<void> {
    for (let tries = 0; tries < maxTries; tries++) {
      try {
        const highlights = this.#highlights;
        for await (const { added, changed, deleted, rejected } of this.#client.sync(this.#store, { highlights })) {
          if (rejected.length > 0) throw new Error(`refused: ${rejected[0]?.message}`);
          for (const { itemId } of [...added, ...changed]) if (itemId) this.#told.add(itemId);
          for (const id of deleted) this.#told.delete(id);
        }
        return;
      } catch (error) {
        if (error instanceof CrashError) {
          // A device that starts again shows what it has stored.
          this.#told.clear();
          for (const { itemId } of await this.#store.items()) this.#told.add(itemId);
          return;
        }
        const isLost = error instanceof ApiError && ["unavailable", "noResponse"].includes(error.kind);
        if (!isLost) throw error;
      }
    }
    throw new Error(`sync has failed ${maxTries} times`);
  }

  /** The replica with the changes that are not sent yet, in the order of the list. */
  items = () => localItems(this.#store);

  /** Whether it is still fetching the list by pages, as while others write without a pause. */
  async isWalking(): Promise<boolean> {
    return (await this.#store.state()).walk !== undefined;
  }

  /** The pages of the device by URL, in its order. */
  async shown(): Promise<Map<string, ShownPage>> {
    return new Map(
      (await this.items()).map(({ url, title, tags, state }) => [url, { title, tags: tags.join(), state }]),
    );
  }

  /** Ids that the yields of `sync` told of, and that should be the ids of the replica. */
  async toldAndStored(): Promise<[string[], string[]]> {
    return [[...this.#told].sort(), (await this.#store.items()).map(({ itemId }) => itemId).sort()];
  }

  /** The replica of highlights by id. */
  async highlights(): Promise<Record<string, ShownHighlight>> {
    const replica = await this.#highlights.highlights();
    return Object.fromEntries(replica.map(({ id, url, note, color }) => [id, { url, note, color }]));
  }

  /** Changes that are not sent; those of highlights that the service has refused do not count. */
  async unsent(): Promise<number> {
    const { refused = [] } = await this.#highlights.state();
    return (await this.#store.queue()).length + (await this.#highlights.queue()).length - refused.length;
  }

  verify = () => this.#client.verify(this.#store);
}
