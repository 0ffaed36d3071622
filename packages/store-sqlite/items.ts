import { setImmediate as nextTurn } from "node:timers/promises";
import { afterStep } from "@reading-list/core/domain/batch-progress.ts";
import { deletionOf, type Item, itemsIn, mergeDeletions, partOfItem } from "@reading-list/core/domain/item.ts";
import { addPageEnd } from "@reading-list/core/domain/list-pages.ts";
import { timeWrites } from "@reading-list/core/domain/list-write.ts";
import { ServiceError, wrongCredentials } from "@reading-list/core/errors.ts";
import { FairQueue } from "@reading-list/core/fair-queue.ts";
import type { ItemStore, User } from "@reading-list/core/ports.ts";
import { type Database, optional, parseJson, type Row, type Tuple } from "./database.ts";
import { findRow, userOf } from "./users.ts";

/** Items read or looked up in one turn of the event loop: some 2 ms; and ids, some 7 ms. */
const itemsAtOnce = 500;
const idsAtOnce = 10_000;

/** Milliseconds for which a long listing waits for others. One is read at a time; a list of 100,000 takes a second. */
const longReadWaitMs = 55_000;

/** The numbers of the column `kind`. */
const kinds = { unread: 0, read: 1, deleted: 2 };
const kindOf = ({ isDeleted, state }: Pick<Item, "isDeleted" | "state">) =>
  isDeleted ? kinds.deleted : state === "0" ? kinds.unread : kinds.read;

const columns =
  "item_id, number, kind, time_updated, change, time_added, application, url, title, tags, ref_id, former_applications, " +
  "trashed_state, continues, progress, time_of_content, has_highlights, highlights_told_at";
/** A query of a user's items, to which conditions are added. */
export const selectItems = `SELECT ${columns} FROM items WHERE user = :user`;

/**
 * The change key has `time_updated`, the list's revision and the position in the batch, as the DynamoDB store writes it,
 * so that a moved list keeps its order. The column `change` has the last two.
 */
export function changeKeyOf(timeUpdated: number, change: number): string {
  const digits = String(change).padStart(12, "0");
  return `${String(timeUpdated).padStart(10, "0")}#${digits.slice(0, 10)}#${digits.slice(10)}`;
}
export const changeOf = (changeKey: string) => {
  const [, revision, position] = changeKey.split("#").map(Number);
  return Number(revision) * 100 + Number(position);
};

/** `row`: in the order of `columns`. */
function itemOf(row: Tuple): Item {
  const [itemId, number, kind, updated, change, added, application, url, title, tags, refId, former, ...rest] = row;
  const [trashedState, continues, progress, timeOfContent, hasHighlights, highlightsToldAt] = rest;
  const timeUpdated = Number(updated);
  return {
    itemId: String(itemId),
    url: String(url),
    title: String(title ?? url),
    tags: String(tags ?? ""),
    state: kind === kinds.unread ? "0" : "1",
    applicationId: String(application),
    refId: refId == null ? undefined : String(refId),
    number: optional(number),
    formerApplications: parseJson(former),
    progress: parseJson(progress),
    continues: optional(continues),
    isDeleted: kind === kinds.deleted,
    trashedState: trashedState == null ? undefined : trashedState === 0 ? "0" : "1",
    timeOfContent: optional(timeOfContent),
    hasHighlights: hasHighlights === 1 || undefined,
    highlightsToldAt: optional(highlightsToldAt),
    timeAdded: Number(added),
    timeUpdated,
    changeKey: changeKeyOf(timeUpdated, Number(change)),
  };
}

/** The items that a query with `selectItems` finds. */
export const readItems = (database: Database, sql: string, parameters: Record<string, string | number>): Item[] =>
  database.tuples(sql, parameters).map(itemOf);

/**
 * A query of some kinds of items in the order of the list: a merge of one range of the index for each kind. The table is
 * read only for the items that are returned, so that a late page costs little more than the first.
 */
const rangeOf = (wanted: readonly number[], isOfApplication: boolean, direction: "ASC" | "DESC" = "DESC") =>
  `SELECT ${columns} FROM (${idsOf(wanted, isOfApplication, direction)}) AS range CROSS JOIN items USING (id)
   ORDER BY range.updated ${direction}, range.position ${direction}`;

const idsOf = (wanted: readonly number[], isOfApplication: boolean, direction: "ASC" | "DESC" = "DESC") =>
  `${wanted
    .map(
      (kind) => `SELECT id, time_updated AS updated, change AS position FROM items WHERE user = :user AND kind = ${kind}
         AND (time_updated, change) > (:after, :afterChange) AND (time_updated, change) <= (:upTo, :upToChange)
         ${isOfApplication ? "AND application = :applicationId" : ""}`,
    )
    .join(" UNION ALL ")}
   ORDER BY updated ${direction}, position ${direction} LIMIT :limit OFFSET :skip`;

/** The items of these ids, in their order. */
const itemsOfIds = `SELECT ${columns} FROM json_each(:ids) CROSS JOIN items ON items.id = json_each.value`;

const end = Number.MAX_SAFE_INTEGER;

/** The page of a list after an item, or the first one; oldest change first. */
export function readUpwards(database: Database, user: number, last: Item | undefined, limit: number): Item[] {
  const from = { after: last?.timeUpdated ?? 0, afterChange: last ? changeOf(last.changeKey) : 0 };
  const sql = rangeOf([kinds.unread, kinds.read], false, "ASC");
  return readItems(database, sql, { user, ...from, upTo: end, upToChange: end, limit, skip: 0 });
}

/** A part of the order of changes, of one application or of all. */
interface Range {
  user: number;
  username: string;
  after: number;
  afterChange: number;
  upTo: number;
  upToChange: number;
  applicationId: string | undefined;
  /** An item that is changed while the list is read must be in it. */
  isWhole: boolean;
}

const nothing = { items: [], size: 0 };
const busy = () => new ServiceError("busy", "too many long lists are read at once; try again", { retryAfter: 10 });

/** The items of the lists. */
export function createItemStore(database: Database): ItemStore {
  /** The user's row, with a `last_since` that covers every change so far. Throws `unauthorized` if the user was deleted. */
  async function raiseSince({ username, userId }: User): Promise<Row> {
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

  const longReads = new FairQueue({ atOnce: 1 });

  /**
   * A part of a list. Of a long one the ids are read at first, and the items while the parts are: in the order of the ids,
   * so that one that is changed meanwhile has its place; one that leaves the list meanwhile is left out.
   */
  async function read(wanted: readonly number[], range: Range, page: { skip: number; limit: number | undefined }) {
    const { applicationId, isWhole, username, ...bounds } = range;
    const isOfApplication = applicationId !== undefined;
    const parameters = { ...bounds, ...(isOfApplication && { applicationId }) };
    if (page.limit !== undefined && page.limit <= itemsAtOnce) {
      const items = readItems(database, rangeOf(wanted, isOfApplication), {
        ...parameters,
        ...{ skip: page.skip, limit: page.limit },
      });
      return { items: [items], size: items.length, newest: items[0]?.timeUpdated ?? 0 };
    }
    const sql = idsOf(wanted, isOfApplication);
    let ids: number[] = [];
    let top: Tuple | undefined;
    let { skip, limit: left = end } = page;
    for (let from = parameters; ; skip = 0) {
      const limit = Math.min(left, idsAtOnce);
      const rows = database.tuples(sql, { ...from, skip, limit });
      top ??= rows[0];
      for (const [id] of rows) ids.push(Number(id));
      left -= rows.length;
      const [, upTo, position] = rows.at(-1) ?? [];
      if (rows.length < limit || left === 0) break;
      from = { ...from, upTo: Number(upTo), upToChange: Number(position) - 1 };
      await nextTurn();
    }
    const [, newest = 0, position = 0] = (top ?? []).map(Number);
    // Items that were changed meanwhile are at the top now, and must not be missing in a whole list.
    const moved = isWhole
      ? database.tuples(sql, { ...parameters, after: newest, afterChange: position, skip: 0, limit: end })
      : [];
    if (moved.length > 0) ids = [...new Set([...moved.map(([id]) => Number(id)), ...ids])];
    return { items: readParts(username, Float64Array.from(ids), wanted), size: ids.length, newest };
  }

  async function* readParts(username: string, ids: Float64Array, wanted: readonly number[]): AsyncGenerator<Item[]> {
    const readPart = (from: number) =>
      readItems(database, `${itemsOfIds} AND kind IN (${wanted})`, {
        ids: `[${ids.subarray(from, from + itemsAtOnce).join()}]`,
      });
    if (ids.length <= itemsAtOnce) {
      yield readPart(0);
      return;
    }
    const leave = await longReads.enter(username, AbortSignal.timeout(longReadWaitMs)).catch(() => {
      throw busy();
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

  return {
    async find(username, itemIds) {
      const found = new Map<string, Item>();
      const user = Number(findRow(database, username)?.id ?? 0);
      for (const [index, itemId] of itemIds.entries()) {
        if (index > 0 && index % itemsAtOnce === 0) await nextTurn();
        const [item] = readItems(database, `${selectItems} AND item_id = :itemId`, { user, itemId: Number(itemId) });
        if (item) found.set(itemId, item);
      }
      return found;
    },

    async list(user, range) {
      const { state, after, applicationId, itemId, skip, limit, deletions } = range;
      const row = await raiseSince(user);
      const asOf = Number(row.last_since);
      if (itemId !== undefined) {
        const [item] = readItems(database, `${selectItems} AND item_id = :itemId`, {
          ...{ user: Number(row.id), itemId: Number(itemId) },
        });
        const { items, deleted } = partOfItem(item, range, asOf);
        const size = items.length;
        return { asOf, user: userOf(row), items: [items], size, newest: 0, deleted: [deleted], read: 1 };
      }
      const showsDeleted = state !== "0" && after !== undefined && deletions === "asRead";
      const wanted = [
        ...(state === "1" ? [] : [kinds.unread]),
        ...(state === "0" ? [] : [kinds.read]),
        ...(showsDeleted ? [kinds.deleted] : []),
      ];
      const bounds: Range = {
        user: Number(row.id),
        username: user.username,
        ...{
          after: after ?? -1,
          afterChange: end,
          upTo: after === undefined || skip > 0 ? end : asOf,
          upToChange: end,
        },
        applicationId,
        isWhole: after === undefined && limit === undefined,
      };
      const whole = { limit: undefined, skip: 0 };
      const hasDeletions = after !== undefined && Number(row.deleted_at) > after;
      const deleted = hasDeletions ? await read([kinds.deleted], bounds, whole) : nothing;
      const found = { asOf, user: userOf(row) };
      if (hasDeletions && applicationId !== undefined) {
        const all = await read(Object.values(kinds), { ...bounds, applicationId: undefined }, whole);
        const addedByOthers = (await itemsIn(all.items))
          .filter((item) => item.applicationId !== applicationId)
          .flatMap((item) => deletionOf(item, applicationId, after) ?? []);
        if (addedByOthers.length > 0) {
          const own = await read(wanted, bounds, { skip: 0, limit: limit && skip + limit });
          const items = await itemsIn(own.items);
          const shown = showsDeleted ? mergeDeletions(items, addedByOthers, skip, limit) : items.slice(skip);
          return {
            ...{ ...found, items: [shown], size: shown.length, newest: shown[0]?.timeUpdated ?? 0 },
            deleted: [await itemsIn(deleted.items), addedByOthers],
            read: all.size + own.size + deleted.size,
          };
        }
      }
      const listed = await read(wanted, bounds, { skip: Math.min(skip, end), limit });
      const pageEnds = addPageEnd(found.user, range, listed.size);
      if (pageEnds) {
        await database.write(() =>
          database.run("UPDATE users SET page_ends = :pageEnds WHERE id = :id", {
            ...{ id: Number(row.id), pageEnds: JSON.stringify(pageEnds) },
          }),
        );
      }
      return { ...found, ...listed, deleted: deleted.items, read: listed.size + deleted.size };
    },

    assignNumbers: ({ username, userId }, itemIds) =>
      database.save(() => {
        const row = findRow(database, username);
        if (row?.user_id !== userId) throw wrongCredentials();
        const user = Number(row.id);
        let last = Number(row.last_number);
        const numbers = new Map<string, number>();
        for (const itemId of itemIds) {
          const stored = database.get(
            `UPDATE items SET number = coalesce(number, :next) WHERE user = :user AND item_id = :itemId RETURNING number`,
            { user, itemId: Number(itemId), next: last + 1 },
          );
          if (!stored) continue;
          numbers.set(itemId, Number(stored.number));
          last = Math.max(last, Number(stored.number));
        }
        database.run("UPDATE users SET last_number = :last WHERE id = :user", { user, last });
        return numbers;
      }),

    async findByNumber(username, number) {
      const user = Number(findRow(database, username)?.id ?? 0);
      return readItems(database, `${selectItems} AND number = :number`, { user, number })[0];
    },

    write: (list, writes, now, step) =>
      database.save(() => {
        const { username } = list;
        const row = findRow(database, username);
        if (row?.password_hash == null || row.user_id !== list.userId) throw wrongCredentials();
        const { clock, revision, unfinished, ...user } = userOf(row);
        const isStale = writes.some(({ before, after }) => {
          const stored = database.get(
            `SELECT time_updated, change, trashed_state IS NOT NULL AS trashed, has_highlights FROM items
             WHERE user = :user AND item_id = :itemId`,
            { user: Number(row.id), itemId: Number(after.itemId) },
          );
          const changeKey = stored && changeKeyOf(Number(stored.time_updated), Number(stored.change));
          // A purge, and the first highlight, keep the change key.
          return (
            changeKey !== before?.changeKey ||
            (before?.trashedState !== undefined && stored?.trashed === 0) ||
            (stored?.has_highlights === 1 && !before?.hasHighlights)
          );
        });
        if (isStale) return { kind: "stale", list: { ...list, clock, revision, unfinished } };
        const counts = [user.countUnread, user.countRead, 0];
        const timed = timeWrites(writes, clock, now);
        for (const [position, write] of timed.writes.entries()) {
          const { before, after, timeAdded, timeUpdated, timeOfContent } = write;
          const kind = kindOf(after);
          counts[kind] = Number(counts[kind]) + 1;
          if (before) counts[kindOf(before)] = Number(counts[kindOf(before)]) - 1;
          saveItem(database, Number(row.id), {
            ...after,
            ...{ timeAdded, timeUpdated, timeOfContent },
            changeKey: changeKeyOf(timeUpdated, (revision + 1) * 100 + position),
          });
        }
        const { changedAt, highlightsAt } = timed;
        const remaining = step ? afterStep(unfinished, step) : unfinished;
        database.run(
          `UPDATE users SET count_unread = :unread, count_read = :read, changed_at = :changedAt,
           highlights_at = :highlightsAt, deleted_at = CASE WHEN :deleted THEN :changedAt ELSE deleted_at END,
           revision = :revision, unfinished = :unfinished WHERE id = :id`,
          {
            id: Number(row.id),
            unread: Number(counts[0]),
            read: Number(counts[1]),
            ...{ changedAt, highlightsAt },
            deleted: timed.writes.some(({ after }) => after.isDeleted) ? 1 : 0,
            revision: revision + 1,
            unfinished: JSON.stringify(remaining),
          },
        );
        return {
          kind: "written",
          list: {
            ...list,
            clock: { ...clock, changedAt, highlightsAt },
            revision: revision + 1,
            unfinished: remaining,
          },
        };
      }),
  };
}

/** Writes an item, over what is in its place. */
export function saveItem(database: Database, user: number, item: Item): void {
  database.run(
    `INSERT INTO items (user, ${columns})
     VALUES (:user, :itemId, :number, :kind, :timeUpdated, :change, :timeAdded, :applicationId, :url, :title, :tags, :refId, :former,
       :trashedState, :continues, :progress, :timeOfContent, :hasHighlights, :highlightsToldAt)
     ON CONFLICT (user, item_id) DO UPDATE SET kind = excluded.kind, time_updated = excluded.time_updated,
       change = excluded.change, time_added = excluded.time_added, application = excluded.application,
       url = excluded.url, title = excluded.title, tags = excluded.tags, ref_id = excluded.ref_id,
       former_applications = excluded.former_applications, trashed_state = excluded.trashed_state,
       continues = excluded.continues, progress = excluded.progress, time_of_content = excluded.time_of_content,
       has_highlights = excluded.has_highlights, highlights_told_at = excluded.highlights_told_at,
       number = coalesce(number, excluded.number)`,
    {
      user,
      itemId: Number(item.itemId),
      number: item.number ?? null,
      kind: kindOf(item),
      timeUpdated: item.timeUpdated,
      change: changeOf(item.changeKey),
      timeAdded: item.timeAdded,
      applicationId: item.applicationId,
      url: item.url,
      title: item.title === item.url ? null : item.title,
      tags: item.tags || null,
      refId: item.refId ?? null,
      former: item.formerApplications ? JSON.stringify(item.formerApplications) : null,
      trashedState: item.trashedState === undefined ? null : Number(item.trashedState),
      continues: item.continues ?? null,
      progress: item.progress ? JSON.stringify(item.progress) : null,
      timeOfContent: item.timeOfContent ?? null,
      hasHighlights: item.hasHighlights ? 1 : null,
      highlightsToldAt: item.highlightsToldAt ?? null,
    },
  );
}

/** The numbers of a user's unread and read items. */
export function countKinds(database: Database, user: number): [unread: number, read: number] {
  const rows = database.all("SELECT kind, count(*) AS items FROM items WHERE user = :user GROUP BY kind", { user });
  const count = (kind: number) => Number(rows.find((row) => row.kind === kind)?.items ?? 0);
  return [count(kinds.unread), count(kinds.read)];
}
