// SPDX-License-Identifier: MIT

/** The first page of a client that fetches a list page by page. Unix seconds. */
export interface PageWalk {
  /** The `since` that the first page was answered with. */
  since: number;
  startedAt: number;
}

/**
 * The walks over a user's pages that may be under way: the first one that began in the last hour, and the first one of
 * the hour before. Later pages are answered with a `since` from the beginning of their walk, so that a client that
 * stores it misses no change that was made during the walk (docs/decisions/pages-and-deletions.md).
 */
export interface PageWalks {
  latest: PageWalk;
  earlier?: PageWalk | undefined;
}

/** A walk may take 3600 s; walks of `get` that begin within that time share one entry. */
export const walkSeconds = 3600;

/** The walks to store when a walk begins; undefined if an entry for it exists. */
export function beginWalk(walks: PageWalks | undefined, walk: PageWalk): PageWalks | undefined {
  if (walks && walks.latest.startedAt > walk.startedAt - walkSeconds) return undefined;
  return { latest: walk, earlier: walks?.latest };
}

/** The `since` for a later page: from the beginning of the oldest walk that may be under way; else `fallback`. */
export function sinceOfWalk(walks: PageWalks | undefined, now: number, fallback: number): number {
  if (!walks) return fallback;
  const { latest, earlier } = walks;
  return earlier && now - earlier.startedAt <= 2 * walkSeconds ? earlier.since : latest.since;
}
