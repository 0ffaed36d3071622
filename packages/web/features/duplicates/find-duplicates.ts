// SPDX-License-Identifier: MIT

import { type Change, changeTags, toPageKey } from "@reading-list/client/change.ts";
import type { LocalItem } from "@reading-list/client/main.ts";
import { fold } from "@reading-list/core/domain/fold.ts";
import { maxLengths } from "@reading-list/core/domain/page-fields.ts";
import { withoutTracking } from "@reading-list/core/domain/tracking-parameters.ts";
import { doInTurns } from "@reading-list/core/domain/turns.ts";
import { hash } from "../../data/filter-items.ts";
import { findSite } from "../../kit/web-address.ts";

/** Pages that may be the same one; the first one is proposed to be kept. */
export interface Duplicates {
  /** A hash of 64 bits of the pages, and of their title if that is why they are a group. */
  key: string;
  pages: readonly LocalItem[];
  /** Their addresses are the same without tracking parameters; otherwise, their titles and sites are. */
  hasSameAddress: boolean;
  /** One page can have the tags of all. */
  canMerge: boolean;
}

/** A site that has more pages with the same title gives all its pages that title. */
const maxSameTitle = 10;

/**
 * The duplicates among items, in the order of the items: those with the same address, then those with the same title and
 * site. Works in turns of the event loop; undefined if it was aborted. `marked` are the URLs of pages with highlights.
 */
export async function findDuplicates(
  items: readonly LocalItem[],
  marked: ReadonlySet<string>,
  signal?: AbortSignal,
): Promise<Duplicates[] | undefined> {
  const found: Duplicates[] = [];
  const isDone = await doInTurns(untilAborted(collectDuplicates(items, marked, found), signal));
  return isDone ? found : undefined;
}

function* untilAborted(work: Iterable<undefined>, signal: AbortSignal | undefined): Generator<undefined, boolean> {
  for (const _ of work) {
    if (signal?.aborted) return false;
    yield;
  }
  return true;
}

/** Adds the groups to `found`; yields after each short step. */
function* collectDuplicates(
  items: readonly LocalItem[],
  marked: ReadonlySet<string>,
  found: Duplicates[],
): Generator<undefined, void> {
  const prefer = (a: LocalItem, b: LocalItem) =>
    Number(marked.has(b.url)) - Number(marked.has(a.url)) ||
    Number(hasTitle(b)) - Number(hasTitle(a)) ||
    a.timeAdded.getTime() - b.timeAdded.getTime() ||
    b.tags.length - a.tags.length ||
    a.url.length - b.url.length;
  const byAddress = new Map<string, LocalItem[]>();
  const byTitle = new Map<string, LocalItem[]>();
  for (const item of items) {
    addTo(byAddress, toPageKey(withoutTracking(item.url)), item);
    yield;
  }
  for (const pages of byAddress.values()) {
    const [kept] = pages.sort(prefer);
    if (kept && hasTitle(kept)) addTo(byTitle, `${findSite(kept.url)}\n${fold(kept.title.trim())}`, kept);
    if (pages.length > 1) found.push(toDuplicates(pages, true));
    yield;
  }
  for (const pages of byTitle.values()) {
    if (pages.length > 1 && pages.length <= maxSameTitle) found.push(toDuplicates(pages.sort(prefer), false));
    yield;
  }
}

const hasTitle = ({ title, url }: LocalItem) => title.trim() !== "" && title !== url;

function addTo(groups: Map<string, LocalItem[]>, key: string, item: LocalItem): void {
  const group = groups.get(key);
  if (group) group.push(item);
  else groups.set(key, [item]);
}

function toDuplicates(pages: readonly LocalItem[], hasSameAddress: boolean): Duplicates {
  // The title of pages with the same address may still be unknown.
  const title = hasSameAddress ? "" : fold(pages[0]?.title.trim() ?? "");
  const facts = [title, ...pages.map(({ url }) => url).sort()].join("\n");
  return {
    key: [1, 2].map((seed) => (hash(facts, seed) >>> 0).toString(36)).join("-"),
    pages,
    hasSameAddress,
    canMerge: joinTags(pages).join().length <= maxLengths.tags,
  };
}

/** The tags that a page has if it is the only one that is kept. */
const joinTags = (pages: readonly LocalItem[]) => [...new Set(pages.flatMap(({ tags }) => tags))];

/** The changes that keep one page, with the tags of all, and move the others to the trash. */
export function mergeInto(kept: LocalItem, { pages }: Pick<Duplicates, "pages">): Change[] {
  const others = pages.filter((page) => page !== kept);
  return [
    ...changeTags(kept, joinTags([kept, ...others])),
    ...others.map(({ url }): Change => ({ kind: "delete", url })),
  ];
}
