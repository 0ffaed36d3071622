// SPDX-License-Identifier: MIT

import type { LocalItem } from "@reading-list/client/main.ts";
import { useEffect, useMemo, useState } from "preact/hooks";
import { useObservable } from "../kit/observable.ts";
import { isFiltered } from "../kit/router.ts";
import { useLoaded } from "../kit/use-loaded.ts";
import { useReader } from "./reader.ts";
import type { Session } from "./session.ts";
import { type Findings, useFindings } from "./use-findings.ts";
import { type Count, countValues, newestFirst } from "./visible-items.ts";

/** The list as the route and the settings ask for it. */
export interface VisibleItems {
  /** All items; undefined until they are loaded. */
  all: readonly LocalItem[] | undefined;
  /** The filtered items of both views, in order. */
  unread: readonly LocalItem[];
  archive: readonly LocalItem[];
  /** The items of the current view, or the results of a search. */
  shown: readonly LocalItem[];
  /** Undefined unless the user searches. */
  findings: Findings | undefined;
  tags: readonly Count[];
  /** The user is about to search, or no longer. */
  expectSearch(isExpected: boolean): void;
}

/** Seed of the random order. */
const seed = Math.floor(Math.random() * 2 ** 31);

export function useVisibleItems(session: Session): VisibleItems {
  const { list, texts } = session;
  const { route: router, settings } = useReader();
  const { view, tag, site, length, isUntagged, search, page } = useObservable(router);
  const { order, density } = useObservable(settings);
  const filter = { tag, site, length, isUntagged };
  const filtering = useLoaded(() => import("./filter-items.ts"));
  const stored = useObservable(list.items);
  const isArranged = isFiltered(filter) || order !== "newest";
  const all = isArranged && !filtering ? undefined : stored;
  const facts = useObservable(texts.facts);

  const findMinutes = (url: string) => facts.get(url)?.minutes;
  // Facts arrive one after the other; most orders and filters do not depend on them.
  const isByLength = length || order === "shortest" || order === "longest";
  const known = isByLength ? facts : undefined;
  const asksKept = isByLength || density === "excerpts" || density === "cards";
  useEffect(() => {
    if (asksKept) void session.loadKeptFacts();
  }, [asksKept, session]);
  const inOrder = (name: keyof typeof newestFirst) => {
    const items = newestFirst[name](all ?? []);
    if (!filtering || !isArranged) return items;
    const ordered = filtering.orderItems(items, order, { findMinutes, seed });
    return isFiltered(filter) ? filtering.filterItems(ordered, filter, findMinutes) : ordered;
  };
  const both = useMemo(
    () => ({ unread: inOrder("unread"), archive: inOrder("archive") }),
    [all, order, known, tag, site, length, isUntagged],
  );
  const searched = page ? undefined : search;
  const [isExpected, expectSearch] = useState(false);
  const isSearching = isExpected || Boolean(searched);
  const searchable = useMemo(
    () => (isSearching ? inOrder("all") : []),
    [all, order, known, tag, site, length, isUntagged, isSearching],
  );
  const findings = useFindings(session, searched, searchable, [order, tag, site, length, isUntagged].join("\n"));
  const tags = useMemo(() => countValues(all ?? [], (item) => item.tags), [all]);
  return { all, ...both, shown: findings?.items ?? both[view], findings, tags, expectSearch };
}
