// SPDX-License-Identifier: MIT

import { parseWebUrl } from "@reading-list/core/domain/page-fields.ts";
import { starredTag } from "@reading-list/core/domain/tags.ts";
import type { Entry } from "./entry.ts";
import { fitTags } from "./row.ts";

/** A page of a file, with what all of its entries say. */
export interface MergedEntry {
  entry: Entry;
  /** The later entries of the page, which are part of `entry`. */
  others: readonly Entry[];
}

/**
 * The pages of a file, each once, in the order of the first entry. A file contains a page several times if it is in
 * several folders or has several labels. `keyOf` returns the same key for URLs of the same page.
 */
export function mergeEntries(entries: readonly Entry[], keyOf: (url: string) => string): MergedEntry[] {
  const pages = Map.groupBy(entries, ({ url }) => keyOf(url));
  return [...pages.values()].flatMap(([first, ...others]) =>
    first ? [{ entry: others.length > 0 ? merge(first, [first, ...others]) : first, others }] : [],
  );
}

/** Tags of all, the star of any, the earliest time, the first title that is not a URL; the state of the first. */
function merge(first: Entry, all: readonly Entry[]): Entry {
  const allTags = all.flatMap(({ tags }) => tags);
  const { tags, rest } = fitTags(allTags.includes(starredTag) ? [starredTag, ...allTags] : allTags);
  const times = all.flatMap(({ timeAdded = [] }) => timeAdded);
  const changes = all.flatMap(({ timeUpdated = [] }) => timeUpdated);
  const places = all.flatMap(({ progress = [] }) => progress);
  const progress = places.toSorted((a, b) => b.time - a.time)[0];
  return {
    ...first,
    title: all.find(({ title }) => title !== "" && !parseWebUrl(title))?.title ?? first.title,
    tags,
    timeAdded: times.length > 0 ? times.reduce((a, b) => Math.min(a, b)) : undefined,
    ...(changes.length > 0 && { timeUpdated: changes.reduce((a, b) => Math.max(a, b)) }),
    ...(progress && { progress }),
    ...(rest && { lost: rest }),
  };
}
