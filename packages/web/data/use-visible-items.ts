// SPDX-License-Identifier: MIT

import type { LocalItem } from "@reading-list/client/main.ts";
import { useEffect, useMemo, useState } from "preact/hooks";
import { useObservable } from "../kit/observable.ts";
import { siteOf } from "../kit/site-of.ts";
import { useReader } from "./reader.ts";
import type { Session } from "./session.ts";
import { type Count, countValues, filterItems, itemsOfView } from "./visible-items.ts";

/** The list as the route and the settings ask for it. */
export interface VisibleItems {
  /** All items; undefined until they are loaded. */
  all: readonly LocalItem[] | undefined;
  /** The filtered items of both views, in order. */
  unread: readonly LocalItem[];
  archive: readonly LocalItem[];
  /** Those of the view that is shown. */
  shown: readonly LocalItem[];
  tags: readonly Count[];
  sites: readonly Count[];
}

/** Seed of the random order. */
const seed = Math.floor(Math.random() * 2 ** 31);

export function useVisibleItems({ list, texts }: Session): VisibleItems {
  const { route: router, settings } = useReader();
  const { view, tag, site, length, isUntagged, search } = useObservable(router);
  const { order } = useObservable(settings);
  const all = useObservable(list.items);
  const facts = useObservable(texts.facts);
  const [words, setWords] = useState<ReadonlyMap<string, string>>();
  useEffect(() => {
    // The cached texts are read when somebody searches, and again when there are others.
    if (search) void texts.searchable().then(setWords, () => {});
  }, [search === undefined, facts]);

  const minutesOf = (url: string) => facts.get(url)?.minutes;
  // Facts arrive one after the other; most orders and filters do not depend on them.
  const known = length || order === "shortest" || order === "longest" ? facts : undefined;
  const inOrder = useMemo(() => {
    const items = all ?? [];
    const sorted = (name: typeof view) => itemsOfView(items, name, order, { minutesOf, seed });
    return { unread: sorted("unread"), archive: sorted("archive") };
  }, [all, order, known]);
  const filtered = useMemo(() => {
    const filter = { tag, site, length, isUntagged, search };
    const left = (items: readonly LocalItem[]) => filterItems(items, filter, minutesOf, words);
    return { unread: left(inOrder.unread), archive: left(inOrder.archive) };
  }, [inOrder, tag, site, length, isUntagged, search, words]);
  const tags = useMemo(() => countValues(all ?? [], (item) => item.tags), [all]);
  const sites = useMemo(() => countValues(all ?? [], ({ url }) => [siteOf(url)]), [all]);
  return { all, ...filtered, shown: filtered[view], tags, sites };
}
