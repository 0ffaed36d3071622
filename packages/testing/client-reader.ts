import { ApiError, localItems, MemoryStore, ReadingListClient } from "@reading-list/client/main.ts";
import type { CheckedUser } from "./checked-user.ts";
import type { ItemAnswer } from "./client.ts";
import type { Acknowledged, ExpectedList } from "./list-model.ts";
import type { ListReader } from "./syncing-reader.ts";

/** Failed syncs in a row after which a reader gives up. */
const maxTries = 100;

/** A replica that packages/client keeps, over checked calls. Now and then it fetches the whole list anew, by pages. */
export class ClientReader implements ListReader {
  readonly items = new Map<string, ItemAnswer>();
  readonly #list: ExpectedList;
  readonly #random: () => number;
  readonly #client: ReadingListClient;
  readonly #store = new MemoryStore();
  #before: Acknowledged = new Map();

  constructor(user: CheckedUser, list: ExpectedList, random: () => number) {
    this.#list = list;
    this.#random = random;
    const { baseUrl, apiKey } = user.service;
    const checkedFetch: typeof fetch = async (url, init) => {
      const endpoint = String(url).split("/").at(-1) ?? "";
      const { status, headers, body } = await user.call(endpoint, Object.fromEntries(init?.body as URLSearchParams));
      if (status === 503) user.tally.repeated += 1;
      return new Response(body, { status, headers });
    };
    this.#client = new ReadingListClient({ baseUrl, apiKey, ...user.credentials, fetch: checkedFetch, retries: 0 });
  }

  async sync(): Promise<void> {
    if (this.#random() < 0.2) {
      const walk = { count: 1 + Math.floor(this.#random() * 8), page: 1, isOver: false };
      await this.#store.commit({ state: { sent: 0, walk } });
    }
    const before = this.#before;
    this.#before = this.#list.acknowledged();
    await this.#syncUntilDone();
    this.items.clear();
    for (const { itemId = "", url, title, tags, state, timeAdded, timeUpdated } of await localItems(this.#store)) {
      const times = { time_updated: secondsOf(timeUpdated), time_added: secondsOf(timeAdded) };
      this.items.set(url, {
        ...{ item_id: itemId, url, title, ...times },
        ...{ tags: tags.join(), state: state === "read" ? "1" : "0" },
      });
    }
    // While others write without a pause, the counts cannot be compared: then a later sync does.
    if (!(await this.#store.state()).walk) this.#list.expectShown(this.items, before);
  }

  async #syncUntilDone(): Promise<void> {
    for (let tries = 0; tries < maxTries; tries++) {
      try {
        for await (const _ of this.#client.sync(this.#store));
        return;
      } catch (error) {
        if (!(error instanceof ApiError) || error.kind !== "unavailable") throw error;
      }
    }
    throw new Error(`sync has failed ${maxTries} times`);
  }
}

const secondsOf = (date: Date) => String(date.getTime() / 1000);
