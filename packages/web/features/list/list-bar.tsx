// SPDX-License-Identifier: MIT

import type { ComponentChildren } from "preact";
import type { SavedFilters } from "../../data/saved-filters.ts";
import type { VisibleItems } from "../../data/use-visible-items.ts";
import { formatRoute, type Route } from "../../kit/router.ts";
import { firstTexts, formatNumber } from "../../kit/texts.ts";

const text = firstTexts.list;

/** Properties of the parts that show and change the route of the list. */
export interface BarProps {
  visible: VisibleItems;
  route: Route;
  saved: SavedFilters;
  /** Changes the route. */
  onShow(change: Partial<Route>): void;
}

/** The two views with their counts. */
export function ViewBar({
  visible,
  route,
  children,
}: Pick<BarProps, "visible" | "route"> & { children: ComponentChildren }) {
  return (
    <div class="bar">
      <nav class="views">
        {(["unread", "archive"] as const).map((name) => (
          <a
            key={name}
            href={formatRoute({ ...route, view: name })}
            aria-current={route.view === name ? "page" : undefined}
            onClick={() => scrollTo(0, 0)}
          >
            {text[name]} <span class="count">{formatNumber(visible[name].length)}</span>
          </a>
        ))}
      </nav>
      {children}
    </div>
  );
}
