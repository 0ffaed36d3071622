import { expect } from "vitest";
import { type ItemAnswer, itemsInOrder, type ListAnswer, type TestService } from "../service.ts";
import type { CheckedUser } from "./checked-calls.ts";
import type { ExpectedList } from "./expected-list.ts";

/** A client that keeps a copy of a list from the changes that each `get` brings. */
export class SyncingReader {
  /** The copy, by URL. */
  readonly items = new Map<string, ItemAnswer>();
  protected readonly user: CheckedUser;
  protected readonly list: ExpectedList;
  protected since = "";
  private readonly seen = new Set<string>();

  constructor(user: CheckedUser, list: ExpectedList) {
    this.user = user;
    this.list = list;
  }

  /** Brings the copy up to date: nothing that was acknowledged before is missing then, and no change comes twice. */
  async sync(): Promise<void> {
    const before = this.list.acknowledged();
    const { since, items } = await this.get();
    for (const { url, time_updated } of items) {
      const change = `${url} at ${time_updated}`;
      expect(this.seen, "changes seen before").not.toContain(change);
      this.seen.add(change);
    }
    this.since = since;
    this.list.expectShown(this.items, before);
  }

  protected async get(paging: { count?: number; page?: number } = {}): Promise<{ since: string; items: ItemAnswer[] }> {
    const answer = await this.user.insist("get", { since: this.since, tags: 1, ...paging });
    expect(answer.status).toBe(200);
    const items = itemsInOrder(answer.body);
    for (const item of items) {
      const known = this.items.get(item.url);
      if (Number(item.time_updated) >= Number(known?.time_updated ?? 0)) this.items.set(item.url, item);
    }
    return { since: (answer.json() as ListAnswer).since, items };
  }
}

const pageSize = 4;
/** Seconds after which no earlier walk counts. */
const longPause = 3 * 3600;
/** The walks under way of each service, which has a clock of its own. */
const walksUnderWay = new Map<TestService, number>();

/**
 * A client that fetches the changes page by page and stores the `since` of the last one. A page that is changed
 * meanwhile may move to where it has been, so that a later sync brings it.
 */
export class WalkingReader extends SyncingReader {
  override async sync(): Promise<void> {
    // A walk that begins hours after the one before has nothing but itself to rely on.
    const { service } = this.user;
    const others = walksUnderWay.get(service) ?? 0;
    if (others === 0) service.clock.advance(longPause);
    walksUnderWay.set(service, others + 1);
    for (let page = 1; ; page++) {
      const { since, items } = await this.get({ count: pageSize, page });
      if (items.length > 0) continue;
      this.since = since;
      break;
    }
    walksUnderWay.set(service, (walksUnderWay.get(service) ?? 1) - 1);
  }
}
