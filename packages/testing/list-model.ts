// SPDX-License-Identifier: MIT

import { expect } from "vitest";
import type { ItemAnswer } from "./client.ts";

/** A page as a client sees it, without its times. */
export interface PageState {
  title: string;
  tags: string;
  state: string;
  /** The share that was read. */
  progress?: string | undefined;
}

/** A page in the list, or a deleted one. Undefined matches anything: several writers change the page at once. */
export type PageOutcome = PageState | "deleted" | undefined;

/** Every requested outcome of a page, in order, and the last acknowledged one. */
interface PageHistory {
  outcomes: PageOutcome[];
  acknowledged: number;
}

const stateOf = ({ title, tags, state, progress }: ItemAnswer): PageState => ({
  title,
  tags: tags ?? "",
  state,
  progress,
});

function isOutcome(item: ItemAnswer | undefined, outcome: PageOutcome): boolean {
  if (outcome === undefined) return true;
  if (outcome === "deleted" || !item) return outcome === "deleted" && !item;
  const { title, tags, state, progress } = stateOf(item);
  const isRead = state === outcome.state && progress === outcome.progress;
  return isRead && title === outcome.title && tags === outcome.tags;
}

/** The pages with an acknowledged outcome, by URL, with its index in the page's history. */
export type Acknowledged = ReadonlyMap<string, number>;

/** A list as its writers know it. Except for shared pages, each page has one writer, who makes one change at a time. */
export class ExpectedList {
  readonly #pages = new Map<string, PageHistory>();
  /** Number of comparisons of a page with a client's view of it. */
  verified = 0;

  /** The outcome of the last change of a page; undefined if it was never added. */
  latest(url: string): PageOutcome {
    return this.#pages.get(url)?.outcomes.at(-1);
  }

  ask(url: string, outcome: PageOutcome): void {
    const page = this.#pages.get(url) ?? { outcomes: [], acknowledged: -1 };
    page.outcomes.push(outcome);
    this.#pages.set(url, page);
  }

  acknowledge(urls: Iterable<string>): void {
    for (const url of urls) {
      const page = this.#pages.get(url);
      if (page) page.acknowledged = page.outcomes.length - 1;
    }
  }

  acknowledged(): Acknowledged {
    const entries = [...this.#pages].map(([url, page]): [string, number] => [url, page.acknowledged]);
    return new Map(entries.filter(([, place]) => place >= 0));
  }

  /**
   * Expects that a client that began to sync after `before` was acknowledged has all of it, except for pages with a
   * change in flight, and has nothing that no writer sent.
   */
  expectShown(items: ReadonlyMap<string, ItemAnswer>, before: Acknowledged): void {
    for (const [url, place] of before) {
      const { outcomes } = this.#pages.get(url) as PageHistory;
      if (place === outcomes.length - 1) this.#expectOneOf(items.get(url), url, outcomes.slice(place));
    }
    for (const [url, item] of items) this.#expectOneOf(item, url, this.#pages.get(url)?.outcomes ?? []);
  }

  /** Expects a list to be exactly what was acknowledged. */
  expectEqual(items: readonly ItemAnswer[]): void {
    const byUrl = new Map(items.map((item) => [item.url, item]));
    for (const url of byUrl.keys()) expect([...this.#pages.keys()]).toContain(url);
    for (const [url, { outcomes }] of this.#pages) this.#expectOneOf(byUrl.get(url), url, outcomes.slice(-1));
  }

  #expectOneOf(item: ItemAnswer | undefined, url: string, outcomes: readonly PageOutcome[]): void {
    this.verified += 1;
    if (outcomes.some((outcome) => isOutcome(item, outcome))) return;
    expect([item ? stateOf(item) : "deleted"], `what was shown of ${url}`).toEqual(outcomes);
  }
}
