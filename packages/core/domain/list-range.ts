// SPDX-License-Identifier: MIT

import type { ListFilter } from "./list-filter.ts";

/** The requested part of a list, newest change first. */
export interface ListRange {
  filter: ListFilter;
  /** Only items with a `time_updated` above it; all if undefined. */
  after: number | undefined;
  /** Only this item. */
  itemId: string | undefined;
  /** Number of items to skip; above 0 only with `limit`. */
  skip: number;
  /** Number of items to return at most; all if undefined. */
  limit: number | undefined;
  /**
   * Deletions after `after` are not listed (`apart`), or are items with the state read (`asRead`), for clients that do
   * not support deletions. `Listing.deleted` has them in both cases.
   */
  deletions: "apart" | "asRead";
}
