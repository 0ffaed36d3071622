// SPDX-License-Identifier: MIT

import { type Item, newestFirst, toChangeKey } from "@reading-list/core/domain/item.ts";
import {
  hasFormerItems,
  isCounted,
  isUnfiltered,
  nameList,
  toItemMatcher,
  wantedState,
} from "@reading-list/core/domain/list-filter.ts";
import { countInState, findPagePlace } from "@reading-list/core/domain/list-pages.ts";
import type { ListRange } from "@reading-list/core/domain/list-range.ts";
import {
  deletionsIn,
  hasDeletions,
  mergesDeletions,
  pickItemPart,
  withDeletions,
} from "@reading-list/core/domain/list-reading.ts";
import { nextTurn } from "@reading-list/core/domain/turns.ts";
import { isSurelyVisible, visibleSecond } from "@reading-list/core/domain/visible-second.ts";
import { addPageEnd, findPageEnd, type PageEnd } from "@reading-list/core/domain/walks.ts";
import type { Listing } from "@reading-list/core/ports/items.ts";
import { LRUCache } from "lru-cache";
import { readRecord, type Table } from "./client.ts";
import { parseItem } from "./item-records.ts";
import { deletedPrefix, firstKeyAfter, itemKey, keyBefore, lastKeyUpTo, listEnd } from "./keys.ts";
import { type ItemQuery, queryItems } from "./query-items.ts";
import { tableDefinition } from "./table-definition.ts";
import { changeUser, readUser, type StoredUser } from "./users.ts";

const { byTime, unread } = tableDefinition.indexes;

/** Page cursors that a process keeps. */
const cursorsKept = 10_000;

/** Items of a long list that are passed on in one turn of the event loop. */
const itemsAtOnce = 1000;

type CountedReader = Table & { read: number };

/** A listing that is completely in memory, except for the number of items that were read. */
type Found = Pick<Listing, "asOf"> & { items: Item[]; deleted: Item[]; user: StoredUser };

/** Reads lists as of the newest second that is wholly visible (docs/data.md 4). */
export function createListReader(table: Table) {
  const cursors = new LRUCache<string, string>({ max: cursorsKept });

  return async (user: StoredUser, range: ListRange): Promise<Listing> => {
    const { after, skip, limit } = range;
    const reader: CountedReader = { ...table, read: 0 };
    if (range.itemId !== undefined) return readOneItem(reader, user, range, range.itemId);
    const isImporting = after === undefined && !isSurelyVisible(user.clock, user.importedAt);
    if (limit === undefined && after === undefined && !isImporting) {
      const asOf = await newestVisibleSecond(reader, user);
      const items = inParts(async () => (await readWholeList(reader, user, range, asOf)).items);
      const size = isCounted(range.filter) ? countInState(user, range.filter) : 0;
      return { items, size, newest: 0, deleted: [], asOf, user, read: 0 };
    }
    const found = await readFound(reader, cursors, user, range);
    if (isImporting && skip === 0 && !hasAll(user, range, found.items)) found.asOf = 0;
    if (limit !== undefined && skip === 0 && found.asOf < user.clock.lastSince) {
      await lowerWalk(reader, user, found.asOf);
    }
    const { items, deleted, asOf } = found;
    const ends = mergesDeletions(user, range)
      ? undefined
      : addPageEnd(found.user, range, items.length, items.at(-1)?.changeKey);
    if (ends) await savePageEnds(reader, user, ends);
    return {
      items: inParts(async () => items),
      size: items.length,
      newest: items[0]?.timeUpdated ?? 0,
      deleted: [deleted],
      asOf,
      user: found.user,
      read: reader.read,
    };
  };
}

async function* inParts(read: () => Promise<Item[]>): AsyncGenerator<Item[]> {
  const items = await read();
  for (let start = 0; start < items.length; start += itemsAtOnce) {
    if (start > 0) await nextTurn();
    yield items.slice(start, start + itemsAtOnce);
  }
}

/** One item, or its deletion. */
async function readOneItem(table: Table, user: StoredUser, range: ListRange, itemId: string): Promise<Listing> {
  const asOf = await newestVisibleSecond(table, user);
  const record = await readRecord(table, itemKey(user.username, itemId));
  const { items, deleted } = pickItemPart(record && parseItem(record), range, asOf);
  return { items: [items], size: items.length, newest: 0, deleted: [deleted], asOf, user, read: 1 };
}

async function readFound(
  reader: CountedReader,
  cursors: LRUCache<string, string>,
  user: StoredUser,
  range: ListRange,
): Promise<Found> {
  const { after, skip, limit } = range;
  if (skip > 0) return readLaterPage(reader, cursors, user, range);
  if (limit === undefined && after !== undefined) return readChanges(reader, user, range);
  const visible = await newestVisibleSecond(reader, user);
  return (limit === undefined ? readWholeList : readFirstPage)(reader, user, range, visible);
}

/** Later pages continue at a far page also in another process, and after a change of the list. */
const savePageEnds = (table: Table, { username, userId }: StoredUser, ends: PageEnd[]) =>
  changeUser(table, username, {
    UpdateExpression: "SET walks.ends = :ends",
    ConditionExpression: "userId = :userId AND attribute_exists(walks)",
    ExpressionAttributeValues: { ":userId": userId, ":ends": ends },
  });

/**
 * All changes after a time, up to the newest visible second. Without a filter, the changes themselves show whether the
 * second of the answer is visible, which saves a query before them.
 */
async function readChanges(table: Table, user: StoredUser, range: ListRange): Promise<Found> {
  const isFiltered = !isUnfiltered(range.filter);
  const upTo = isFiltered ? await newestVisibleSecond(table, user) : user.clock.lastSince;
  const [items, tombstones] = await Promise.all([
    takeItems(table, user, range, { last: lastKeyUpTo(upTo) }),
    readTombstones(table, user, range, upTo),
  ]);
  const isNewest = ({ timeUpdated }: Item) => timeUpdated === user.clock.changedAt;
  const asOf = isFiltered
    ? upTo
    : visibleSecond(user, items.filter(isNewest).length, tombstones.filter(isNewest).length);
  const isUpToIt = ({ timeUpdated }: Item) => timeUpdated <= asOf;
  return { ...withDeletions(user, range, items.filter(isUpToIt), tombstones.filter(isUpToIt)), asOf, user };
}

/**
 * The whole list, from its oldest change to its newest: an item that is changed meanwhile moves to the end, so that none
 * is missed.
 */
async function readWholeList(table: Table, user: StoredUser, range: ListRange, asOf: number): Promise<Found> {
  const found = await takeItems(table, user, range, { order: "oldestFirst" });
  const newest = new Map(found.map((item) => [item.itemId, item]));
  return { items: [...newest.values()].sort(newestFirst), deleted: [], asOf, user };
}

/**
 * The top of the list, or of the changes after a time up to `asOf`, because the next sync has later changes. The list
 * itself also has items that were changed meanwhile, because a client drops items that a complete list lacks.
 */
async function readFirstPage(table: Table, user: StoredUser, range: ListRange, asOf: number): Promise<Found> {
  const [items, tombstones] = await Promise.all([
    takeItems(table, user, range, range.after === undefined ? {} : { last: lastKeyUpTo(asOf) }, range.limit),
    readTombstones(table, user, range, asOf),
  ]);
  return { ...withDeletions(user, range, items, tombstones), asOf, user };
}

/**
 * A page after the first. It continues after the previous page if that was far down; otherwise its start is counted
 * from the top of the current list. The user's record is read after it, to see whether an item has left the list and so
 * moved others to earlier pages.
 */
async function readLaterPage(
  table: Table,
  cursors: LRUCache<string, string>,
  user: StoredUser,
  range: ListRange,
): Promise<Found> {
  const { filter, skip, limit = 0 } = range;
  const nameAt = (above: number) => [user.userId, user.revision, nameList(filter), above].join();
  const isMerged = mergesDeletions(user, range);
  const stored = isMerged ? undefined : findPageEnd(user.walks, range)?.cursor;
  const cursor = isMerged ? undefined : (stored ?? cursors.get(nameAt(skip)));
  const asOf = user.clock.lastSince;
  const isCounted = cursor !== undefined || (!isMerged && (await newestVisibleSecond(table, user)) === asOf);
  const [items, tombstones] = await Promise.all([
    isMerged
      ? takeItems(table, user, range, {}, skip + limit)
      : cursor === undefined
        ? countToPage(table, user, range)
        : takeItems(table, user, range, { last: keyBefore(cursor) }, limit),
    readTombstones(table, user, range, asOf),
  ]);
  const current = await readUser(table, user);
  if (cursor !== undefined && stored === undefined && current.revision !== user.revision) {
    // An item that has moved to the top meanwhile is not counted behind a cursor: the page would lack another one.
    cursors.delete(nameAt(skip));
    return readLaterPage(table, cursors, user, range);
  }
  const last = items.at(-1);
  if (isCounted && stored === undefined && last && items.length === limit) {
    cursors.set(nameAt(skip + limit), last.changeKey);
  }
  return { ...withDeletions(user, range, items, tombstones), asOf, user: current };
}

/**
 * Counts from the top of the list to a page, or from the end. Changes after the call's time count, too: an item that has
 * moved to the top would leave a gap, and move others to earlier pages.
 */
async function countToPage(table: Table, user: StoredUser, range: ListRange): Promise<Item[]> {
  const { order, skip, limit } = findPagePlace(user, range);
  if (limit === 0) return [];
  const items = (await takeItems(table, user, range, { order }, skip + limit)).slice(skip);
  return order === "newestFirst" ? items : items.reverse();
}

/** Items in one query of an index; it returns at most 1 MB anyway. */
const maxPageSize = 100_000;
/** The share of the items that a filter shows is unknown. */
const filteredPageSize = 1000;

/** The first items of a part of the list, newest change first unless the query says otherwise. */
async function takeItems(
  table: Table,
  user: StoredUser,
  { filter, after }: Pick<ListRange, "filter" | "after">,
  query: Partial<ItemQuery>,
  wanted = Number.POSITIVE_INFINITY,
): Promise<Item[]> {
  const { countRead, countUnread } = user;
  const state = wantedState(filter);
  const meets = toItemMatcher(filter);
  const readShare = state === "1" ? Math.max(countRead / (countRead + countUnread), 0.01) : 1;
  const pageSize = Math.ceil(Math.max(wanted / readShare, isCounted(filter) ? 0 : filteredPageSize));
  const pages = queryItems(table, user.username, {
    index: state === "0" ? unread : byTime,
    readOnly: state === "1",
    first: after === undefined ? "0" : firstKeyAfter(after),
    last: listEnd,
    order: "newestFirst",
    pageSize: pageSize < maxPageSize ? pageSize : undefined,
    ...query,
  });
  const found: Item[] = [];
  for await (const items of pages) {
    found.push(...items.filter(meets));
    if (found.length >= wanted) break;
  }
  return found.slice(0, wanted);
}

/** The deletions of a range, up to a second. */
async function readTombstones(table: Table, user: StoredUser, range: ListRange, upTo: number): Promise<Item[]> {
  if (!hasDeletions(user, range)) return [];
  const { filter, after = 0 } = range;
  const all = { filter: [], after };
  const [tombstones, live] = await Promise.all([
    takeItems(table, user, all, {
      first: deletedPrefix + firstKeyAfter(after),
      last: deletedPrefix + lastKeyUpTo(upTo),
    }),
    hasFormerItems(filter) ? takeItems(table, user, all, { last: lastKeyUpTo(upTo) }) : [],
  ]);
  return deletionsIn([...tombstones, ...live], filter, after);
}

const hasAll = (user: StoredUser, range: ListRange, items: readonly Item[]) =>
  isCounted(range.filter) && items.length >= countInState(user, range.filter);

/** The newest visible second, by queries for only the newest change. */
export async function newestVisibleSecond(table: Table, user: StoredUser): Promise<number> {
  const { username, clock, newest } = user;
  if (isSurelyVisible(clock, clock.changedAt)) return clock.lastSince;
  const count = async (expected: number, prefix: string) => {
    let found = 0;
    if (expected === 0) return found;
    const query = { first: prefix + toChangeKey(clock.changedAt, 0, 0), last: prefix + lastKeyUpTo(clock.changedAt) };
    for await (const items of queryItems(table, username, { ...query, order: "newestFirst" })) found += items.length;
    return found;
  };
  const [items, tombstones] = await Promise.all([
    count(newest.unread + newest.read, ""),
    count(newest.deleted, deletedPrefix),
  ]);
  return visibleSecond(user, items, tombstones);
}

/** The later pages of a walk answer with a `since` of its first page, which is not above what that page has shown. */
export const lowerWalk = (table: Table, { username, userId }: StoredUser, asOf: number) =>
  changeUser(table, username, {
    UpdateExpression: "SET walks.latest.since = :since",
    ConditionExpression: "userId = :userId AND walks.latest.since > :since",
    ExpressionAttributeValues: { ":userId": userId, ":since": asOf },
  });
