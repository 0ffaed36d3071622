// SPDX-License-Identifier: MIT

import { type Item, type ItemKind, itemsIn } from "@reading-list/core/domain/item.ts";
import { hasFormerItems, listKinds } from "@reading-list/core/domain/list-filter.ts";
import { findPagePlace, type PagePlace } from "@reading-list/core/domain/list-pages.ts";
import type { ListRange } from "@reading-list/core/domain/list-range.ts";
import {
  deletionsIn,
  hasDeletions,
  mergesDeletions,
  pickItemPart,
  withDeletions,
} from "@reading-list/core/domain/list-reading.ts";
import { nextTurn } from "@reading-list/core/domain/turns.ts";
import { addPageEnd, findPageEnd } from "@reading-list/core/domain/walks.ts";
import { ServiceError, wrongCredentials } from "@reading-list/core/errors.ts";
import { FairQueue } from "@reading-list/core/fair-queue.ts";
import type { ItemStore, Listing } from "@reading-list/core/ports/items.ts";
import type { User } from "@reading-list/core/ports/users.ts";
import type { Database, Row } from "./database.ts";
import { findItem, keyAt } from "./item-rows.ts";
import {
  endOfSecond,
  type ListSpan,
  type Place,
  parseChangeKey,
  placeBefore,
  readIds,
  readItemsOfIds,
  readSpan,
} from "./list-query.ts";
import { findRow, parseUser } from "./users.ts";

/** Items read in one turn of the event loop: some 2 ms; and ids, some 7 ms. */
const itemsAtOnce = 300;
const idsAtOnce = 10_000;

/** Milliseconds for which a long listing waits for others. One is read at a time; a list of 100,000 takes a second. */
const longReadWaitMs = 55_000;

/** Version 0.3.0 requires `latest`. */
const saveEnds = `UPDATE users SET walks = json_set(coalesce(walks, '{"latest":{}}'), '$.ends', json(:ends))
  WHERE id = :id`;

const whole: PagePlace = { order: "newestFirst", skip: 0, limit: Number.MAX_SAFE_INTEGER };

/** A part of a list; `lastKey`: the change key of its last item. */
type Read = Pick<Listing, "items" | "size" | "newest"> & { lastKey?: string | undefined };

const inMemory = (items: Item[]): Read => ({
  items: [items],
  size: items.length,
  newest: items[0]?.timeUpdated ?? 0,
  lastKey: items.at(-1)?.changeKey,
});

/** The ids of a part of a list, newest first, and the places of the first and last of each turn. */
async function readAllIds(
  database: Database,
  span: ListSpan,
  place: PagePlace,
): Promise<{ ids: number[]; ends: Place[] }> {
  const isDescending = place.order === "newestFirst";
  const ids: number[] = [];
  const ends: Place[] = [];
  let { skip, limit: left } = place;
  for (let rest = span; ; skip = 0) {
    const limit = Math.min(left, idsAtOnce);
    const rows = readIds(database, rest, { order: place.order, skip, limit });
    for (const [id] of rows) ids.push(Number(id));
    ends.push(
      ...[rows[0], rows.at(-1)].flatMap((row) => (row ? { time: Number(row[1]), change: Number(row[2]) } : [])),
    );
    left -= rows.length;
    const last = ends.at(-1);
    if (rows.length < limit || left === 0 || !last) break;
    rest = { ...span, ...(isDescending ? { upTo: placeBefore(last) } : { after: last }) };
    await nextTurn();
  }
  if (!isDescending) {
    ids.reverse();
    ends.reverse();
  }
  return { ids, ends };
}

/** Reads lists: see `ItemStore.list`. */
export function createListReader(database: Database): ItemStore["list"] {
  const longReads = new FairQueue({ atOnce: 1 });

  /**
   * A part of a list; if it `isWhole`, including items that change while it is read. For a long list, the ids are read
   * first and the items with each part, in the order of the ids, so that an item that changes meanwhile keeps its
   * place; an item that leaves the list meanwhile is left out.
   */
  async function read({ username }: User, span: ListSpan, place: PagePlace, isWhole = false): Promise<Read> {
    if (place.limit <= itemsAtOnce) {
      const items = readSpan(database, span, place);
      return inMemory(place.order === "newestFirst" ? items : items.reverse());
    }
    const { ids: found, ends } = await readAllIds(database, span, place);
    let ids = found;
    const [top] = ends;
    // Items that were changed meanwhile are at the top now, and must not be missing in a whole list.
    const moved = isWhole ? readIds(database, { ...span, after: top }, whole) : [];
    if (moved.length > 0) ids = [...new Set([...moved.map(([id]) => Number(id)), ...ids])];
    const last = ends.at(-1);
    return {
      items: readParts(username, Float64Array.from(ids), span.kinds),
      size: ids.length,
      newest: top?.time ?? 0,
      lastKey: last && keyAt(last.time, last.change),
    };
  }

  async function* readParts(username: string, ids: Float64Array, kinds: readonly ItemKind[]): AsyncGenerator<Item[]> {
    const readPart = (from: number) => readItemsOfIds(database, ids.subarray(from, from + itemsAtOnce), kinds);
    if (ids.length <= itemsAtOnce) {
      yield readPart(0);
      return;
    }
    const leave = await longReads.enter(username, AbortSignal.timeout(longReadWaitMs)).catch(() => {
      throw new ServiceError("busy", "too many long lists are being read at once; try again", { retryAfter: 10 });
    });
    try {
      for (let from = 0; from < ids.length; from += itemsAtOnce) {
        yield readPart(from);
        await nextTurn();
      }
    } finally {
      leave();
    }
  }

  /** A page of a list that is unchanged since the page before it was answered continues there. */
  async function readPage(user: User, range: ListRange, span: ListSpan): Promise<Read> {
    const { limit, skip } = range;
    const isWhole = range.after === undefined && limit === undefined;
    if (mergesDeletions(user, range)) return read(user, span, { ...whole, skip, limit: limit ?? whole.limit });
    const end = findPageEnd(user.walks, range);
    const cursor = end?.revision === user.revision ? end.cursor : undefined;
    const place = findPagePlace(user, range);
    const page = cursor
      ? await read(
          user,
          { ...span, upTo: placeBefore(parseChangeKey(cursor)) },
          { ...whole, limit: limit ?? whole.limit },
        )
      : await read(user, span, place, isWhole);
    const ends = addPageEnd(user, range, page.size, page.lastKey);
    if (ends) await database.write(() => database.run(saveEnds, { id: span.user, ends: JSON.stringify(ends) }));
    return page;
  }

  return async (caller, range) => {
    const { filter, after, itemId, skip, limit = whole.limit } = range;
    const row = await raiseSince(database, caller);
    const user = parseUser(row);
    const found = { user, asOf: user.clock.lastSince };
    if (itemId !== undefined) {
      const { items, deleted } = pickItemPart(findItem(database, Number(row.id), itemId), range, found.asOf);
      return { ...found, ...inMemory(items), newest: 0, deleted: [deleted], read: 1 };
    }
    const kinds = listKinds(filter);
    const isMerged = mergesDeletions(user, range);
    const span: ListSpan = {
      user: Number(row.id),
      kinds: isMerged ? [...kinds, "deleted"] : kinds,
      filter,
      after: after === undefined ? undefined : endOfSecond(after),
      upTo: after === undefined || skip > 0 ? undefined : endOfSecond(found.asOf),
    };
    if (after === undefined || !hasDeletions(user, range)) {
      const page = await readPage(user, range, span);
      return { ...found, ...page, deleted: [], read: page.size };
    }
    if (!hasFormerItems(filter)) {
      const { items: deleted, size } = await read(user, { ...span, kinds: ["deleted"] }, whole);
      const page = await readPage(user, range, span);
      return { ...found, ...page, deleted, read: page.size + size };
    }
    const all = await read(user, { ...span, kinds: ["unread", "read", "deleted"], filter: [] }, whole);
    const deleted = deletionsIn(await itemsIn(all.items), filter, after);
    if (!isMerged) {
      const page = await readPage(user, range, span);
      return { ...found, ...page, deleted: [deleted], read: all.size + page.size };
    }
    const own = await read(user, { ...span, kinds }, { ...whole, limit: skip + limit });
    const { items } = withDeletions(user, range, await itemsIn(own.items), deleted);
    return { ...found, ...inMemory(items), deleted: [deleted], read: all.size + own.size };
  };
}

/** The user's row, with a `last_since` that covers every change so far. Throws `unauthorized` if the user was deleted. */
async function raiseSince(database: Database, { username, userId }: User): Promise<Row> {
  for (;;) {
    const row = findRow(database, username);
    if (row?.user_id !== userId) throw wrongCredentials();
    if (Number(row.changed_at) <= Number(row.last_since)) return row;
    await database.write(() =>
      database.run("UPDATE users SET last_since = changed_at WHERE id = :id AND last_since < changed_at", {
        id: Number(row.id),
      }),
    );
  }
}
