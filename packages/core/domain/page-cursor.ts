import type { Item, ItemState } from "./item.ts";

/** A position right below an item, and the number of items above it. Valid while the list does not change. */
export interface PageCursor {
  /** The state whose items are counted; absent if all are. */
  state?: ItemState | undefined;
  changeKey: string;
  timeUpdated: number;
  above: number;
}

/** The part of a list's record that paging needs. */
export interface CountedList {
  countUnread: number;
  countRead: number;
  cursors: readonly PageCursor[];
}

/** The requested part of a list. */
export interface ListRange {
  state: ItemState | undefined;
  /** Only items with a `time_updated` above it. */
  after: number | undefined;
  /** Only items with a `time_updated` up to it. */
  upTo?: number | undefined;
  applicationId: string | undefined;
  /** Number of items to skip, then the number to return at most. */
  skip: number;
  limit: number | undefined;
}

/** One query: from which change key, in which direction, how many items to skip and how many to take. */
export interface Reading {
  direction: "down" | "up";
  /** Absent for the top of the list if the direction is down, for its end if it is up. */
  from: string | undefined;
  pass: number;
  take: number | undefined;
}

/** Few enough to keep the user's record below 1 KB, the size of one write unit. */
const cursorsKept = 3;
/** Save a cursor only if the next page would skip more than max(50, page size) items. */
const itemsToPass = 50;

/** The number of items of a list, of one state or of both. */
export function countOf({ countUnread, countRead }: CountedList, state: ItemState | undefined): number {
  if (state === undefined) return countUnread + countRead;
  return state === "0" ? countUnread : countRead;
}

const costOf = (readings: readonly Reading[]) => readings.reduce((cost, { pass, take = 0 }) => cost + pass + take, 0);

/**
 * The readings that return a range in list order and read the fewest items: from the top, from the end, or from a
 * cursor. The list must have more items than the range skips.
 */
export function cheapestReadings(list: CountedList, range: ListRange): Reading[] {
  const { state, after, applicationId, skip, limit } = range;
  const fromTop: Reading[] = [{ direction: "down", from: undefined, pass: skip, take: limit }];
  if (skip === 0 || limit === undefined || applicationId !== undefined) return fromTop;
  const count = countOf(list, state);
  const choices = [fromTop];
  if (after === undefined) {
    const take = Math.min(limit, count - skip);
    choices.push([{ direction: "up", from: undefined, pass: count - skip - take, take }]);
  }
  for (const cursor of list.cursors) {
    if (cursor.state !== state || cursor.timeUpdated <= (after ?? 0)) continue;
    choices.push(readingsFrom(cursor, skip, Math.min(skip + limit, count)));
  }
  return choices.reduce((best, each) => (costOf(each) < costOf(best) ? each : best));
}

/** Reads the items from number `skip` to number `end` from a cursor. */
function readingsFrom({ changeKey: from, above }: PageCursor, skip: number, end: number): Reading[] {
  const upper = Math.min(above, end) - skip;
  const lower = end - Math.max(above, skip);
  return [
    ...(upper > 0 ? [{ direction: "up" as const, from, pass: Math.max(0, above - end), take: upper }] : []),
    ...(lower > 0 ? [{ direction: "down" as const, from, pass: Math.max(0, skip - above), take: lower }] : []),
  ];
}

/**
 * The cursors to save after a range was read, so that the next page skips few items; undefined if a saved cursor
 * or the end is near enough, or if no page comes after it.
 */
export function cursorsAfter(list: CountedList, range: ListRange, items: readonly Item[]): PageCursor[] | undefined {
  const { state, applicationId, skip, limit } = range;
  const last = items.at(-1);
  if (limit === undefined || applicationId !== undefined || !last) return undefined;
  const above = skip + limit;
  if (items.length < limit || above >= countOf(list, state)) return undefined;
  if (costOf(cheapestReadings(list, { ...range, skip: above })) <= limit + Math.max(limit, itemsToPass))
    return undefined;
  const { changeKey, timeUpdated } = last;
  const cursor: PageCursor = { ...(state !== undefined && { state }), changeKey, timeUpdated, above };
  // Drop the cursor that led to this page.
  const others = list.cursors.filter((other) => other.state !== state || Math.abs(other.above - above) > 2 * limit);
  return [cursor, ...others].slice(0, cursorsKept);
}
