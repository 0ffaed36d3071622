// SPDX-License-Identifier: MIT

import { expect } from "vitest";
import type { CheckedUser } from "./checked-user.ts";
import { type ItemAnswer, itemsInOrder, type ListAnswer, type ServiceClient } from "./client.ts";
import type { Acknowledged, ExpectedList } from "./list-model.ts";

/** A client that keeps a replica of a list. */
export interface ListReader {
  /** The replica, by URL. */
  readonly items: ReadonlyMap<string, ItemAnswer>;
  /** Brings the replica up to date: what was acknowledged before the previous sync is in it. */
  sync(): Promise<void>;
}

/** A client that keeps a replica of a list from the changes and deletions that each `get` returns. */
export class SyncingReader implements ListReader {
  /** The replica, by URL. */
  readonly items = new Map<string, ItemAnswer>();
  protected readonly user: CheckedUser;
  protected readonly list: ExpectedList;
  protected since = "";
  #before: Acknowledged = new Map();
  readonly #seen = new Set<string>();
  /** Times of deletion, by item_id. */
  readonly #deletions = new Map<string, number>();

  constructor(user: CheckedUser, list: ExpectedList) {
    this.user = user;
    this.list = list;
  }

  /**
   * Updates the replica. Expects every change acknowledged before the previous sync (one that overlaps other writes may
   * leave out the newest second), and no change twice.
   */
  async sync(): Promise<void> {
    const before = this.#before;
    this.#before = this.list.acknowledged();
    // A first list has all that an earlier first list had.
    if (Number(this.since) === 0) this.#seen.clear();
    const { since, items } = await this.get();
    for (const { url, time_updated } of items) {
      const change = `${url} at ${time_updated}`;
      expect(this.#seen, "changes seen before").not.toContain(change);
      this.#seen.add(change);
    }
    this.since = since;
    this.list.expectShown(this.items, before);
  }

  protected async get(paging: { count?: number; page?: number } = {}): Promise<{ since: string; items: ItemAnswer[] }> {
    const answer = await this.user.insist("get", { since: this.since, tags: 1, progress: 1, deleted: 1, ...paging });
    expect(answer.status).toBe(200);
    const items = itemsInOrder(answer.body);
    const { since, deleted = {}, complete } = answer.json() as ListAnswer;
    if (complete) this.items.clear();
    for (const item of items) {
      const isNews = Number(item.time_updated) >= Number(this.items.get(item.url)?.time_updated ?? 0);
      if (isNews && Number(item.time_updated) > (this.#deletions.get(item.item_id) ?? 0))
        this.items.set(item.url, item);
    }
    for (const [id, time] of Object.entries(deleted)) {
      this.#deletions.set(id, Number(time));
      for (const [url, item] of this.items) {
        if (item.item_id === id && Number(item.time_updated) < Number(time)) this.items.delete(url);
      }
    }
    return { since, items };
  }
}

/** Seconds after which an earlier walk has no effect. */
const longPause = 3 * 3600;
/** The walks under way, for each service with its clock. */
const walksUnderWay = new Map<ServiceClient, number>();

/**
 * A client that fetches the changes page by page, stops at a page that is not full, and stores the `since` of any page
 * after the first, unless the last page's is lower. An item that changes meanwhile may move to a page already fetched;
 * a later sync returns it.
 */
export class WalkingReader extends SyncingReader {
  readonly #random: () => number;

  constructor(user: CheckedUser, list: ExpectedList, random: () => number) {
    super(user, list);
    this.#random = random;
  }

  override async sync(): Promise<void> {
    // A walk that begins hours after the previous one gets its own `since`.
    const { service } = this.user;
    const others = walksUnderWay.get(service) ?? 0;
    if (others === 0) service.clock?.advance(longPause);
    walksUnderWay.set(service, others + 1);
    // A first sync has no deletions, so a later walk from 0 replaces the replica.
    if (Number(this.since) === 0) this.items.clear();
    const count = 1 + Math.floor(this.#random() * 8);
    let stored: string | undefined;
    for (let page = 1; ; page++) {
      const { since, items } = await this.get({ count, page });
      const isLast = items.length < count;
      if (!isLast && page > 1 && this.#random() < 0.5) stored = since;
      // Only the last page shows that an item left the list during the walk, and so moved an unchanged one up.
      if (isLast && Number(since) < Number(stored ?? Number.POSITIVE_INFINITY)) stored = since;
      if (isLast) break;
    }
    this.since = stored ?? this.since;
    walksUnderWay.set(service, (walksUnderWay.get(service) ?? 1) - 1);
  }
}
