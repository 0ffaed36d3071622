import type { Item, ItemState, ItemWrite } from "./item.ts";

/** A place between two items of a list: right below the item that is, or was, there. */
interface ListPlace {
  timeUpdated: number;
  itemId: string;
}

/**
 * A place in a list that a page ended at, and how many items lie below it. Writes keep that number exact, so that a
 * page that lies deep in the list can be read from a mark near it.
 */
export interface PageMark extends ListPlace {
  /** The state whose items are counted; absent where all are. */
  state?: ItemState | undefined;
  below: number;
}

/** What a list is known to hold, and the marks in it. */
export interface MarkedList {
  countUnread: number;
  countRead: number;
  marks: readonly PageMark[];
}

/** The part of a list that is asked for. */
export interface ListRange {
  state: ItemState | undefined;
  /** Only items with a `time_updated` above it. */
  after: number | undefined;
  applicationId: string | undefined;
  /** Items to pass over, and then to return at most. */
  skip: number;
  limit: number | undefined;
}

/** How to read a range: from which place, in which direction, and how many items to pass over and to take. */
export interface Reading {
  direction: "down" | "up";
  /** Absent for the top of the list where it is read downwards, and for its end where upwards. */
  from: ListPlace | undefined;
  pass: number;
  take: number | undefined;
}

/** Marks that a user's record keeps: few enough for it to stay below the kilobyte that a write unit pays for. */
const marksKept = 3;
/** Items that a page may pass over, or as many as it returns, before a mark is worth its write. */
const itemsToPass = 50;

/** The items of a list that a range could show. */
export function countOf({ countUnread, countRead }: MarkedList, state: ItemState | undefined): number {
  if (state === undefined) return countUnread + countRead;
  return state === "0" ? countUnread : countRead;
}

const costOf = (readings: readonly Reading[]) => readings.reduce((cost, { pass, take = 0 }) => cost + pass + take, 0);

/**
 * The readings that give a range, in its order, and look at the fewest items: from the top, the end, or a mark. The list
 * holds more than the range passes over.
 */
export function cheapestReadings(list: MarkedList, range: ListRange): Reading[] {
  const { state, after, applicationId, skip, limit } = range;
  const fromTop: Reading[] = [{ direction: "down", from: undefined, pass: skip, take: limit }];
  if (skip === 0 || limit === undefined || applicationId !== undefined) return fromTop;
  const count = countOf(list, state);
  const choices = [fromTop];
  if (after === undefined) {
    const take = Math.min(limit, count - skip);
    choices.push([{ direction: "up", from: undefined, pass: count - skip - take, take }]);
  }
  for (const mark of list.marks) {
    if (mark.state === state && mark.timeUpdated > (after ?? 0)) {
      choices.push(readingsFrom(mark, count - mark.below, skip, limit));
    }
  }
  return choices.reduce((best, each) => (costOf(each) < costOf(best) ? each : best));
}

/** Reads a range from a mark that has `above` items above it. */
function readingsFrom(from: ListPlace, above: number, skip: number, limit: number): Reading[] {
  const end = skip + limit;
  const upper = Math.min(above, end) - skip;
  const lower = end - Math.max(above, skip);
  return [
    ...(upper > 0 ? [{ direction: "up" as const, from, pass: Math.max(0, above - end), take: upper }] : []),
    ...(lower > 0 ? [{ direction: "down" as const, from, pass: Math.max(0, skip - above), take: lower }] : []),
  ];
}

/**
 * The marks to keep once a range was read, so that the page after it need not be read from afar; undefined where that
 * is near enough to what is known already, or nothing comes after it.
 */
export function marksAfter(list: MarkedList, range: ListRange, items: readonly Item[]): PageMark[] | undefined {
  const { state, applicationId, skip, limit } = range;
  const last = items.at(-1);
  if (limit === undefined || applicationId !== undefined || !last || items.length < limit) return undefined;
  const next = { ...range, skip: skip + limit };
  const below = countOf(list, state) - next.skip;
  if (below <= 0 || costOf(cheapestReadings(list, next)) <= limit + Math.max(limit, itemsToPass)) return undefined;
  const { timeUpdated, itemId } = last;
  const mark: PageMark = { ...(state !== undefined && { state }), timeUpdated, itemId, below };
  // The mark that the walk has just come from has served.
  const others = list.marks.filter((other) => other.state !== state || Math.abs(other.below - below) > 2 * limit);
  return [mark, ...others].slice(0, marksKept);
}

/** The marks of a list after items were written at `time`. */
export function marksAfterWrites(
  marks: readonly PageMark[],
  writes: readonly ItemWrite[],
  time: number,
): readonly PageMark[] {
  return marks.map((mark) => {
    let { below } = mark;
    for (const { before, after } of writes) {
      if (before && counts(mark, before)) below -= 1;
      if (counts(mark, { ...after, timeUpdated: time })) below += 1;
    }
    return { ...mark, below };
  });
}

/** Whether an item is one of those that lie below a mark. */
function counts(mark: PageMark, { state, timeUpdated, itemId }: Pick<Item, "state" | "timeUpdated" | "itemId">) {
  if (mark.state !== undefined && mark.state !== state) return false;
  return timeUpdated < mark.timeUpdated || (timeUpdated === mark.timeUpdated && BigInt(itemId) < BigInt(mark.itemId));
}
