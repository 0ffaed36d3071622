// SPDX-License-Identifier: MIT

import { expect } from "vitest";
import type { TestUser } from "./client.ts";

/** A highlight as a client sees it. */
export type HighlightAnswer = Record<
  | ("id" | "item_id" | "url" | "quote" | "prefix" | "suffix" | "position")
  | ("color" | "note" | "time_created" | "time_updated"),
  string
>;

interface HighlightList {
  status: string;
  since: string;
  complete?: string;
  list: Record<string, HighlightAnswer>;
  deleted: Record<string, string>;
  deleted_items: Record<string, string>;
}

/** A client that keeps a user's highlights from the changes that each call returns. */
export class HighlightReplica {
  readonly highlights = new Map<string, HighlightAnswer>();
  user: TestUser;
  readonly #count: number | undefined;
  readonly #stores: "last" | "second";
  readonly #seen = new Set<string>();
  #since = "";

  /** With `count` it fetches pages, and stores the `since` of the last, or of the second if that is not above it. */
  constructor(user: TestUser, { count, stores = "last" }: { count?: number; stores?: "last" | "second" } = {}) {
    this.user = user;
    this.#count = count;
    this.#stores = stores;
  }

  async sync(): Promise<void> {
    // A first sync has no deletions.
    if (Number(this.#since) === 0) this.highlights.clear();
    let stored: string | undefined;
    for (let page = 1; ; page++) {
      const paging = this.#count === undefined ? {} : { count: this.#count, page };
      const answer = await this.#ask({ since: this.#since, ...paging });
      const list = Object.values(answer.list);
      if (answer.status === "2") expect([list, answer.deleted, answer.deleted_items]).toEqual([[], {}, {}]);
      if (answer.complete) {
        this.highlights.clear();
        this.#seen.clear();
      }
      for (const each of list) this.#take(each);
      for (const id of Object.keys(answer.deleted)) this.highlights.delete(id);
      for (const [id, { item_id }] of this.highlights) if (item_id in answer.deleted_items) this.highlights.delete(id);
      const isLast = this.#count === undefined || list.length < this.#count;
      if (this.#stores === "second" && page === 2) stored = answer.since;
      // Only the last page shows that a highlight left the list during the walk, and so moved an unchanged one up.
      if (isLast && Number(answer.since) < Number(stored ?? Number.POSITIVE_INFINITY)) stored = answer.since;
      if (isLast) break;
    }
    this.#since = stored ?? "";
  }

  #take(highlight: HighlightAnswer): void {
    const change = `${highlight.id} at ${highlight.time_updated}`;
    if (this.#count === undefined) expect(this.#seen).not.toContain(change);
    this.#seen.add(change);
    const known = this.highlights.get(highlight.id);
    if (Number(highlight.time_updated) >= Number(known?.time_updated ?? 0))
      this.highlights.set(highlight.id, highlight);
  }

  /** Expects it to be what a first sync returns. */
  async expectSame(): Promise<void> {
    const { list } = await this.#ask({});
    expect(Object.fromEntries(this.highlights)).toEqual(list);
  }

  async #ask(parameters: Record<string, string | number>): Promise<HighlightList> {
    return JSON.parse((await this.user.ok("highlights", parameters)).body);
  }
}
