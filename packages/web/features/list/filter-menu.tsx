// SPDX-License-Identifier: MIT

import { starredTag } from "@reading-list/core/domain/tags.ts";
import { useState } from "preact/hooks";
import { byName } from "../../data/visible-items.ts";
import { IconButton } from "../../kit/icons.tsx";
import { formatRoute, isFiltered, type Route } from "../../kit/router.ts";
import { firstTexts, formatNumber, say } from "../../kit/texts.ts";
import type { BarProps } from "./list-bar.tsx";
import { listFilters, SavedFilterLinks } from "./saved-filter-links.tsx";

const text = firstTexts.filters;

interface FilterMenuProps extends BarProps {
  /** Undefined until it is loaded. */
  Filters: typeof import("./later.ts").Filters | undefined;
}

/** Filters and the order, in a popover. */
export function FilterMenu({ Filters, ...props }: FilterMenuProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <IconButton
        icon="filter"
        name={text.title}
        class={isFiltered(props.route) ? "plain strong" : "plain"}
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
        {isOpen && Filters && (
          <Filters {...props}>
            <SavedFilterLinks {...props} />
          </Filters>
        )}
      </div>
    </>
  );
}

const maxTags = 40;

/** Stars and tags beside the list, on a wide screen: the most frequent tags, or all by name. */
export function SideBar({ visible: { tags }, route, saved }: BarProps) {
  const [showsAll, setShowsAll] = useState(false);
  const others = tags.filter(([tag]) => tag !== starredTag);
  const hasMore = others.length > maxTags;
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
      <SavedFilterLinks saved={saved} route={route} />
      {others.length > 0 && (
        <h2>
          <a href={formatRoute({ view: route.view, page: "tags" })}>{firstTexts.list.tags}</a>
        </h2>
      )}
      {(hasMore && showsAll ? others.toSorted(byName) : others.slice(0, maxTags)).map(([tag, count]) => (
        <span key={tag}>{link({ tag }, tag, count, route.tag === tag)}</span>
      ))}
      {hasMore && (
        <button type="button" class="plain" aria-expanded={showsAll} onClick={() => setShowsAll(!showsAll)}>
          {say(text.allTags, { number: others.length })}
        </button>
      )}
    </nav>
  );
}

interface FilterLineProps {
  route: Route;
  onShow(change: Partial<Route>): void;
  onEditTag(tag: string): void;
}

/** The filters that apply, each with a button that ends it. */
export function FilterLine({ route, onShow, onEditTag }: FilterLineProps) {
  const { tag } = route;
  const filters = listFilters(route);
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
