// SPDX-License-Identifier: MIT

import { starredTag } from "@reading-list/core/domain/tags.ts";
import { useState } from "preact/hooks";
import { IconButton } from "../../kit/icons.tsx";
import { formatRoute, type Route } from "../../kit/router.ts";
import { firstTexts, formatNumber, say } from "../../kit/texts.ts";
import { useLoaded } from "../../kit/use-loaded.ts";
import type { BarProps } from "./bar-props.ts";
import { SavedSearchLinks } from "./saved-search-links.tsx";

const text = firstTexts.filters;

/** Filters and the order, in a popover. */
export function FilterMenu(props: BarProps) {
  const [isOpen, setOpen] = useState(false);
  const filters = useLoaded(() => import("./filters.tsx"));
  const { tag, site, length, isUntagged } = props.route;
  const isFiltered = tag || site || length || isUntagged;
  return (
    <>
      <IconButton
        icon="filter"
        name={text.title}
        class={isFiltered ? "plain strong" : "plain"}
        popovertarget="filters"
      />
      <div
        id="filters"
        popover="auto"
        role="dialog"
        aria-label={text.title}
        class="popover"
        onToggle={({ newState }) => setOpen(newState === "open")}
      >
        {isOpen && filters && (
          <filters.Filters {...props}>
            <SavedSearchLinks {...props} />
          </filters.Filters>
        )}
      </div>
    </>
  );
}

const maxTags = 40;

/** Stars and tags beside the list, on a wide screen. */
export function SideBar({ visible: { tags }, route, saved }: BarProps) {
  const others = tags.filter(([tag]) => tag !== starredTag).slice(0, maxTags);
  const stars = tags.find(([tag]) => tag === starredTag)?.[1] ?? 0;
  const link = (change: Partial<Route>, name: string, count: number | undefined, isShown: boolean) => (
    <a
      href={formatRoute({ view: route.view, ...change })}
      aria-current={isShown ? "true" : undefined}
      onClick={() => scrollTo(0, 0)}
    >
      <bdi>{name}</bdi>
      {count !== undefined && <span class="count">{formatNumber(count)}</span>}
    </a>
  );
  return (
    <nav class="side" aria-label={firstTexts.list.tags}>
      {link({}, text.everything, undefined, !route.tag && !route.isUntagged && !route.search)}
      {link({ tag: starredTag }, text.starred, stars, route.tag === starredTag)}
      {link({ isUntagged: true }, text.untagged, undefined, route.isUntagged === true)}
      <SavedSearchLinks saved={saved} route={route} />
      {others.length > 0 && <h2>{firstTexts.list.tags}</h2>}
      {others.map(([tag, count]) => (
        <span key={tag}>{link({ tag }, tag, count, route.tag === tag)}</span>
      ))}
    </nav>
  );
}

interface FilterLineProps {
  route: Route;
  onShow(change: Partial<Route>): void;
  onEditTag(tag: string): void;
}

/** The filters that apply, each with a button that ends it. */
export function FilterLine({ route: { tag, site, length, isUntagged }, onShow, onEditTag }: FilterLineProps) {
  const filters: [string, Partial<Route>][] = [];
  if (tag)
    filters.push([tag === starredTag ? text.starred : say(firstTexts.list.taggedWith, { tag }), { tag: undefined }]);
  if (isUntagged) filters.push([text.untagged, { isUntagged: undefined }]);
  if (site) filters.push([site, { site: undefined }]);
  if (length) filters.push([text.lengths[length], { length: undefined }]);
  if (filters.length === 0) return null;
  return (
    <p class="filter">
      {filters.map(([name, change]) => (
        <span class="tag" key={name}>
          <bdi>{name}</bdi>
          <IconButton icon="close" name={say(text.end, { filter: name })} onClick={() => onShow(change)} />
        </span>
      ))}
      {tag && tag !== starredTag && (
        <button type="button" class="plain" onClick={() => onEditTag(tag)}>
          {text.editTag}
        </button>
      )}
    </p>
  );
}
