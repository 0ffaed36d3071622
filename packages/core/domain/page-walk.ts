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

/**
 * The `since` of a later page: the one of page 1 in the oldest walk that may be under way, at most `asOf`. If something
 * left the list at `leftAt`, during the walk, later entries have moved up to pages that the client has already read: then
 * the client must sync from `after`, the `since` that it sent. All in Unix seconds.
 */
export function sinceOfLaterPage(
  walks: PageWalks | undefined,
  { now, asOf, after = 0, leftAt }: { now: number; asOf: number; after?: number | undefined; leftAt: number },
): number {
  const isEarlier = walks?.earlier && now - walks.earlier.startedAt <= 2 * walkSeconds;
  const walkSince = (isEarlier ? walks?.earlier : walks?.latest)?.since ?? after;
  return leftAt > walkSince ? after : Math.min(asOf, walkSince);
}
