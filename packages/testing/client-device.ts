// SPDX-License-Identifier: MIT

import {
  ApiError,
  type Change,
  type Commit,
  localItems,
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

/** A store whose device crashes before, or right after, one of its next commits. */
class CrashingStore extends MemoryStore {
  #commitsLeft = Number.POSITIVE_INFINITY;
  #isLate = false;

  crashAfter(commits: number, isLate: boolean): void {
    this.#commitsLeft = commits;
    this.#isLate = isLate;
  }

  override async commit(commit: Commit): Promise<void> {
    const isCrash = this.#commitsLeft-- <= 0;
    if (isCrash) this.#commitsLeft = Number.POSITIVE_INFINITY;
    if (!isCrash || this.#isLate) await super.commit(commit);
    if (isCrash) throw new CrashError();
  }
}

class CrashError extends Error {}

/** A device that keeps a replica by packages/client, over a network that may lose calls. */
export class ClientDevice {
  readonly #client: ReadingListClient;
  readonly #store = new CrashingStore();
  /** The ids that the yields of `sync` make up, without a look at the store. */
  readonly #told = new Set<string>();

  constructor({ baseUrl, apiKey }: ServiceClient, account: Account, transport: TransportOptions) {
    this.#client = new ReadingListClient({ baseUrl, apiKey, ...account, ...transport });
  }

  /** Makes the next sync fetch the whole list anew, by pages of so many items. */
  async forget(count: number): Promise<void> {
    const { sent } = await this.#store.state();
    await this.#store.commit({ state: { sent, walk: { count, page: 1, isOver: false } } });
  }

  async change(change: Change): Promise<void> {
    await this.#store.enqueue([change]);
  }

  /** Syncs, unless a commit crashes: then the device has what it had stored by then. */
  async syncAndCrash(commits: number, isLate: boolean): Promise<void> {
    this.#store.crashAfter(commits, isLate);
    await this.sync();
    this.#store.crashAfter(Number.POSITIVE_INFINITY, false);
  }

  /** Syncs, again and again while calls fail. */
  async sync(): Promise<void> {
    for (let tries = 0; tries < maxTries; tries++) {
      try {
        for await (const { added, changed, deleted, rejected } of this.#client.sync(this.#store)) {
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

  async unsent(): Promise<number> {
    return (await this.#store.queue()).length;
  }

  verify = () => this.#client.verify(this.#store);
}
