// SPDX-License-Identifier: MIT

import { type Change, changeTags, pageKeyOf } from "@reading-list/client/change.ts";
import type { LocalItem } from "@reading-list/client/main.ts";
import { fold } from "@reading-list/core/domain/fold.ts";
import { maxLengths } from "@reading-list/core/domain/page-fields.ts";
import { withoutTracking } from "@reading-list/core/domain/tracking-parameters.ts";
import { siteOf } from "../../kit/web-address.ts";

/** Pages that may be the same one; the first one is proposed to be kept. */
export interface Duplicates {
  pages: readonly LocalItem[];
  /** Their addresses are the same without tracking parameters; otherwise, their titles and sites are. */
  hasSameAddress: boolean;
}

/** A site that has more pages with the same title gives all its pages that title. */
const maxSameTitle = 10;

/** Milliseconds of work until other tasks of the page have their turn. */
const sliceMs = 10;

/**
 * The duplicates among items, in the order of the items: those with the same address, then those with the same title and
 * site. Works in slices; undefined if it was aborted. `marked` are the URLs of pages with highlights.
 */
export async function findDuplicates(
  items: readonly LocalItem[],
  marked: ReadonlySet<string>,
  signal?: AbortSignal,
): Promise<Duplicates[] | undefined> {
  const prefer = (a: LocalItem, b: LocalItem) =>
    Number(marked.has(b.url)) - Number(marked.has(a.url)) ||
    Number(hasTitle(b)) - Number(hasTitle(a)) ||
    a.timeAdded.getTime() - b.timeAdded.getTime() ||
    b.tags.length - a.tags.length ||
    a.url.length - b.url.length;
  const byAddress = await groupInSlices(items, ({ url }) => pageKeyOf(withoutTracking(url)), signal);
  const rest = byAddress.map((pages) => pages.sort(prefer)[0] as LocalItem);
  const byTitle = await groupInSlices(
    rest.filter(hasTitle),
    ({ url, title }) => `${siteOf(url)}\n${fold(title.trim())}`,
    signal,
  );
  if (signal?.aborted) return undefined;
  return [
    ...byAddress.filter(({ length }) => length > 1).map((pages) => ({ pages, hasSameAddress: true })),
    ...byTitle
      .filter(({ length }) => length > 1 && length <= maxSameTitle)
      .map((pages) => ({ pages: pages.sort(prefer), hasSameAddress: false })),
  ];
}

const hasTitle = ({ title, url }: LocalItem) => title.trim() !== "" && title !== url;

/** The items by key. */
async function groupInSlices(items: readonly LocalItem[], keyOf: (item: LocalItem) => string, signal?: AbortSignal) {
  const groups = new Map<string, LocalItem[]>();
  let end = performance.now() + sliceMs;
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
    if (performance.now() < end) continue;
    await new Promise((resolve) => setTimeout(resolve));
    if (signal?.aborted) return [];
    end = performance.now() + sliceMs;
  }
  return [...groups.values()];
}

/** The tags that a page has if it is the only one that is kept. */
const allTagsOf = (pages: readonly LocalItem[]) => [...new Set(pages.flatMap(({ tags }) => tags))];

/** Whether one page can have the tags of all. */
export const canMerge = ({ pages }: Duplicates): boolean => allTagsOf(pages).join().length <= maxLengths.tags;

/** The changes that keep one page, with the tags of all, and move the others to the trash. */
export function mergeInto(kept: LocalItem, { pages }: Duplicates): Change[] {
  const others = pages.filter((page) => page !== kept);
  return [
    ...changeTags(kept, allTagsOf([kept, ...others])),
    ...others.map(({ url }): Change => ({ kind: "delete", url })),
  ];
}
