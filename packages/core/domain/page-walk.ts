/** The first page of a client that fetches a list page by page. Unix seconds. */
export interface PageWalk {
  /** The `since` that the first page answered with. */
  since: number;
  startedAt: number;
}

/**
 * What a user's record remembers of the walks of one application: the first that began within an hour, and the first of
 * an hour before. Later pages of a walk answer with a `since` from its beginning, so that whichever page's `since` a
 * client stores, it misses nothing that changed while it walked.
 */
export interface PageWalks {
  current: PageWalk;
  earlier?: PageWalk | undefined;
}

/** Seconds for which `current` stands for all walks that begin, and which a walk may take. */
export const walkSeconds = 3600;

/** What to remember when a walk begins; undefined where what is remembered stands for it already. */
export function beginWalk(walks: PageWalks | undefined, walk: PageWalk): PageWalks | undefined {
  if (walks && walks.current.startedAt > walk.startedAt - walkSeconds) return undefined;
  return { current: walk, earlier: walks?.current };
}

/**
 * The `since` for a later page, from no later than the beginning of any walk under way. `fallback` where no walk is
 * known: the client sees changes again, but misses none.
 */
export function sinceOfWalk(walks: PageWalks | undefined, now: number, fallback: number): number {
  if (!walks) return fallback;
  const { current, earlier } = walks;
  return earlier && now - earlier.startedAt <= 2 * walkSeconds ? earlier.since : current.since;
}
