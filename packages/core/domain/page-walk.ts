/**
 * A client that fetches a list page by page, and what it was told to sync from. Later pages of a walk answer with the
 * `since` of its first page, so that whichever page's `since` a client stores, it misses nothing that changed while
 * it walked.
 */
export interface PageWalk {
  /** Tells walks over different queries apart. */
  query: string;
  /** The `since` that the first page answered with, unix seconds. */
  since: number;
  /** When the first page was fetched, unix seconds. */
  startedAt: number;
}

/** How many of the newest walks a user's record remembers. */
export const walksRemembered = 6;

/** A walk is taken to be over after this many seconds, unless it is the only one known. */
const walkSeconds = 3600;

/**
 * The `since` for a later page of a walk over `query`: that of the oldest walk that may still be under way, as several
 * may share a query. Where none is remembered, `fallback`: the client sees changes again, but misses none.
 */
export function sinceOfWalk(walks: readonly PageWalk[], query: string, now: number, fallback: number): number {
  const same = walks.filter((walk) => walk.query === query).sort((a, b) => a.startedAt - b.startedAt);
  const current = same.find((walk) => now - walk.startedAt <= walkSeconds) ?? same.at(-1);
  return current?.since ?? fallback;
}
