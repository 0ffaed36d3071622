import { expect } from "vitest";
import type { ItemAnswer } from "../service.ts";

/** What a client sees of a page, its times apart. */
export interface PageState {
  title: string;
  tags: string;
  state: string;
}

/**
 * Every state that a page was asked to take, in order, and the last one that was acknowledged. Undefined stands for any
 * state, of a page that several writers change.
 */
interface PageHistory {
  states: (PageState | undefined)[];
  acknowledged: number;
}

const stateOf = ({ title, tags, state }: ItemAnswer): PageState => ({ title, tags: tags ?? "", state });
const isSame = (a: PageState, b: PageState) => a.title === b.title && a.tags === b.tags && a.state === b.state;

/** The pages for which a state was acknowledged, by URL, with its place in the page's history. */
export type Acknowledged = ReadonlyMap<string, number>;

/** A list as its writers know it. But for the shared ones, each page has one writer, who asks for one change after another. */
export class ExpectedList {
  private readonly pages = new Map<string, PageHistory>();
  /** Comparisons of a page with what a client was shown of it. */
  verified = 0;

  /** The state that a page has or will have; undefined where it was never added. */
  latest(url: string): PageState | undefined {
    return this.pages.get(url)?.states.at(-1);
  }

  ask(url: string, state: PageState | undefined): void {
    const page = this.pages.get(url) ?? { states: [], acknowledged: -1 };
    page.states.push(state);
    this.pages.set(url, page);
  }

  acknowledge(urls: Iterable<string>): void {
    for (const url of urls) {
      const page = this.pages.get(url);
      if (page) page.acknowledged = page.states.length - 1;
    }
  }

  acknowledged(): Acknowledged {
    const entries = [...this.pages].map(([url, page]): [string, number] => [url, page.acknowledged]);
    return new Map(entries.filter(([, place]) => place >= 0));
  }

  /**
   * That a client which began to sync when `before` was acknowledged was shown it, but for pages with a change under
   * way, and that it was shown nothing which nobody asked for.
   */
  expectShown(items: ReadonlyMap<string, ItemAnswer>, before: Acknowledged): void {
    for (const [url, place] of before) {
      const { states } = this.pages.get(url) as PageHistory;
      if (place === states.length - 1) this.expectOneOf(items.get(url), url, states.slice(place));
    }
    for (const [url, item] of items) this.expectOneOf(item, url, this.pages.get(url)?.states ?? []);
  }

  /** That a list is what was acknowledged: nothing lost, nothing more. */
  expectEqual(items: readonly ItemAnswer[]): void {
    expect(items.map(({ url }) => url).sort()).toEqual([...this.pages.keys()].sort());
    for (const item of items) this.expectOneOf(item, item.url, this.pages.get(item.url)?.states.slice(-1) ?? []);
  }

  private expectOneOf(item: ItemAnswer | undefined, url: string, states: PageHistory["states"]): void {
    this.verified += 1;
    expect(item, `what was shown of ${url}`).toBeDefined();
    if (!item || states.some((state) => !state || isSame(state, stateOf(item)))) return;
    expect([stateOf(item)], `what was shown of ${url}`).toEqual(states);
  }
}
