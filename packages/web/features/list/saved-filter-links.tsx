// SPDX-License-Identifier: MIT

import { starredTag } from "@reading-list/core/domain/tags.ts";
import { useObservable } from "../../kit/observable.ts";
import { type Filter, filterKey, formatRoute, type Route } from "../../kit/router.ts";
import { firstTexts, say } from "../../kit/texts.ts";
import type { BarProps } from "./list-bar.tsx";

const text = firstTexts.filters;

/** The names of the filters that apply, each with the change that ends it; a search has none. */
export function listFilters({ tag, site, length, isUntagged }: Filter): [name: string, end: Partial<Route>][] {
  const filters: [string, Partial<Route>][] = [];
  if (tag)
    filters.push([tag === starredTag ? text.starred : say(firstTexts.list.taggedWith, { tag }), { tag: undefined }]);
  if (isUntagged) filters.push([text.untagged, { isUntagged: undefined }]);
  if (site) filters.push([site, { site: undefined }]);
  if (length) filters.push([text.lengths[length], { length: undefined }]);
  return filters;
}

const nameFilter = (filter: Filter) =>
  [filter.search, ...listFilters(filter).map(([name]) => name)].filter(Boolean).join(" · ");

/** Links to the saved filters and searches, in alphabetical order. */
export function SavedFilterLinks({ saved, route }: Pick<BarProps, "saved" | "route">) {
  const links = useObservable(saved.all)
    .map((filter) => [nameFilter(filter), filter] as const)
    .sort(([a], [b]) => a.localeCompare(b));
  if (links.length === 0) return null;
  return (
    <>
      <h2>{firstTexts.list.savedFilters}</h2>
      {links.map(([name, filter]) => (
        <a
          key={name}
          href={formatRoute({ view: route.view, ...filter })}
          aria-current={filterKey(route) === filterKey(filter) ? "true" : undefined}
          onClick={() => scrollTo(0, 0)}
        >
          <bdi>{name}</bdi>
        </a>
      ))}
    </>
  );
}
