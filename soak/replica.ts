import { isDeepStrictEqual } from "node:util";
import type { ItemAnswer, ListAnswer } from "../tests/service.ts";
import type { ListModel, PageContent } from "./list-model.ts";

/** A device's copy of a list, made of the changes that each `get` brought. */
export class Replica {
  since = "0";
  readonly #items = new Map<string, ItemAnswer>();

  /** Takes in the answer to a `get` with this replica's `since`. Throws where it breaks the promise of sync. */
  take({ status, since, list }: ListAnswer): void {
    const items = Object.values(list);
    if ((status === "2") !== (items.length === 0)) throw new Error(`status ${status} with ${items.length} items`);
    if (Number(since) < Number(this.since)) throw new Error("since went back");
    for (const item of items) {
      const time = Number(item.time_updated);
      if (time <= Number(this.since)) throw new Error(`${item.url} came twice`);
      if (time > Number(since)) throw new Error(`${item.url} is newer than since`);
      this.#put(item);
    }
    this.since = since;
  }

  /** Starts anew from a walk over pages, with the `since` of one of them. */
  restart(items: readonly ItemAnswer[], since: string): void {
    this.#items.clear();
    for (const item of items) this.#put(item);
    this.since = since;
  }

  /** Throws unless every page is as the model lets a `get` between two moments show it. */
  check(model: ListModel, begin: number, end: number): void {
    for (const url of new Set([...model.urls(), ...this.#items.keys()])) {
      const content = contentOf(this.#items.get(url));
      if (!model.mayShow(url, content, begin, end)) {
        throw new Error(`the replica has ${url} as ${JSON.stringify(content)}`);
      }
    }
  }

  /** Throws unless a whole list holds the same, in order. */
  compare(list: readonly ItemAnswer[]): void {
    const different = list.find((item) => !isDeepStrictEqual({ ...this.#items.get(item.url) }, { ...item }));
    if (different) throw new Error(`the replica has ${different.url} otherwise than the list`);
    if (list.length !== this.#items.size)
      throw new Error(`${list.length} in the list, ${this.#items.size} in the replica`);
    const times = list.map((item) => Number(item.time_updated));
    if (times.some((time, i) => time > (times[i - 1] ?? time))) throw new Error("the list is not in order");
  }

  #put(item: ItemAnswer): void {
    const known = this.#items.get(item.url);
    if (known && (known.item_id !== item.item_id || known.time_added !== item.time_added)) {
      throw new Error(`${item.url} changed its id or its time_added`);
    }
    if (Number(item.time_updated) >= Number(known?.time_updated ?? 0)) this.#items.set(item.url, item);
  }
}

/** The items of a list as JSON, in order: an item_id is too long for a number, which an object would put first. */
export const itemsOf = (body: string): ItemAnswer[] => Object.values((JSON.parse(body) as ListAnswer).list);

/** What an item shows beside its times. */
const contentOf = (item: ItemAnswer | undefined): PageContent | undefined =>
  item && { title: item.title, tags: item.tags ?? "", state: item.state === "1" ? "1" : "0" };
