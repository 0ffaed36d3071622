// SPDX-License-Identifier: MIT

import type { CheckedUser } from "./checked-user.ts";
import type { ItemAnswer } from "./client.ts";
import { ClientDevice } from "./client-device.ts";
import type { Acknowledged, ExpectedList } from "./list-model.ts";
import type { ListReader } from "./syncing-reader.ts";

/** A replica that packages/client keeps, over checked calls. Now and then it fetches the whole list again, by pages. */
export class ClientReader implements ListReader {
  readonly items = new Map<string, ItemAnswer>();
  readonly #list: ExpectedList;
  readonly #random: () => number;
  readonly #device: ClientDevice;
  #before: Acknowledged = new Map();

  constructor(user: CheckedUser, list: ExpectedList, random: () => number) {
    this.#list = list;
    this.#random = random;
    const checkedFetch: typeof fetch = async (url, init) => {
      const endpoint = String(url).split("/").at(-1) ?? "";
      const { status, headers, body } = await user.call(endpoint, Object.fromEntries(init?.body as URLSearchParams));
      if (status === 503) user.tally.repeated += 1;
      return new Response(body, { status, headers });
    };
    this.#device = new ClientDevice(user.service, user.credentials, { fetch: checkedFetch, retries: 0 });
  }

  async sync(): Promise<void> {
    if (this.#random() < 0.2) await this.#device.forget(1 + Math.floor(this.#random() * 8));
    const before = this.#before;
    this.#before = this.#list.acknowledged();
    await this.#device.sync();
    this.items.clear();
    for (const {
      itemId = "",
      url,
      title,
      tags,
      state,
      timeAdded,
      timeUpdated,
      progress,
    } of await this.#device.items()) {
      const times = { time_updated: secondsOf(timeUpdated), time_added: secondsOf(timeAdded) };
      this.items.set(url, {
        item_id: itemId,
        url,
        title,
        ...times,
        tags: tags.join(),
        state: state === "read" ? "1" : "0",
        ...(progress && { progress: String(progress.percent), anchor: progress.anchor }),
      });
    }
    // The counts cannot be compared during a walk: then a later sync does.
    if (!(await this.#device.isWalking())) this.#list.expectShown(this.items, before);
  }
}

const secondsOf = (date: Date) => String(date.getTime() / 1000);
