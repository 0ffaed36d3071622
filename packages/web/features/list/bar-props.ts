// SPDX-License-Identifier: MIT

import type { SavedFilters } from "../../data/saved-filters.ts";
import type { VisibleItems } from "../../data/use-visible-items.ts";
import type { Route } from "../../kit/router.ts";

/** Properties of the parts that show and change the route of the list. */
export interface BarProps {
  visible: VisibleItems;
  route: Route;
  saved: SavedFilters;
  /** Changes the route. */
  onShow(change: Partial<Route>): void;
}
