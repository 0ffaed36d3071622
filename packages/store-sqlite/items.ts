import { setImmediate as nextTurn } from "node:timers/promises";
import { afterStep } from "@reading-list/core/domain/batch-progress.ts";
import { deletionOf, type Item, mergeDeletions } from "@reading-list/core/domain/item.ts";
import { timeWrites } from "@reading-list/core/domain/list-write.ts";
import { wrongCredentials } from "@reading-list/core/errors.ts";
import type { ItemStore, User } from "@reading-list/core/ports.ts";
import { type Database, optional, parseJson, type Row, type Tuple } from "./database.ts";
import { findRow, userOf } from "./users.ts";

/** Items read or looked up in one turn of the event loop: some 2 ms. */
const itemsAtOnce = 500;

/** The numbers of the column `kind`. */
const kinds = { unread: 0, read: 1, deleted: 2 };
const kindOf = ({ isDeleted, state }: Pick<Item, "isDeleted" | "state">) =>
  isDeleted ? kinds.deleted : state === "0" ? kinds.unread : kinds.read;

const columns =
  "item_id, number, kind, time_updated, change, time_added, application, url, title, tags, ref_id, former_applications";
/** A query of a user's items, to which conditions are added. */
export const selectItems = `SELECT ${columns} FROM items WHERE user = :user`;

/**
 * The change key has `time_updated`, the list's revision and the position in the batch, as the DynamoDB store writes it,
 * so that a moved list keeps its order. The column `change` has the last two.
 */
function changeKeyOf(timeUpdated: number, change: number): string {
  const digits = String(change).padStart(12, "0");
  return `${String(timeUpdated).padStart(10, "0")}#${digits.slice(0, 10)}#${digits.slice(10)}`;
}
const changeOf = (changeKey: string) => {
  const [, revision, position] = changeKey.split("#").map(Number);
  return Number(revision) * 100 + Number(position);
};

/** `row`: in the order of `columns`. */
function itemOf(row: Tuple): Item {
  const [itemId, number, kind, updated, change, added, application, url, title, tags, refId, former] = row;
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
    isDeleted: kind === kinds.deleted,
    timeAdded: Number(added),
    timeUpdated,
    changeKey: changeKeyOf(timeUpdated, Number(change)),
  };
}

/** The items that a query with `selectItems` finds. */
export const readItems = (database: Database, sql: string, parameters: Record<string, string | number>): Item[] =>
  database.tuples(sql, parameters).map(itemOf);

/** The position in the order of changes of which a page after an item begins. */
const positionOf = ({ timeUpdated, changeKey }: Item) => ({ after: timeUpdated, afterChange: changeOf(changeKey) });

/**
 * A query of some kinds of items in the order of the list: a merge of one range of the index for each kind. The table is
 * read only for the items that are returned, so that a late page costs little more than the first.
 */
const rangeOf = (wanted: readonly number[], isOfApplication: boolean, direction: "ASC" | "DESC") =>
  `WITH range (id, updated, position) AS (
     ${wanted
       .map(
         (kind) => `SELECT id, time_updated, change FROM items WHERE user = :user AND kind = ${kind}
           AND (time_updated, change) > (:after, :afterChange) AND time_updated <= :upTo
           ${isOfApplication ? "AND application = :applicationId" : ""}`,
       )
       .join(" UNION ALL ")}
     ORDER BY time_updated ${direction}, change ${direction} LIMIT :limit OFFSET :skip
   )
   SELECT ${columns} FROM range CROSS JOIN items USING (id) ORDER BY updated ${direction}, position ${direction}`;

const end = Number.MAX_SAFE_INTEGER;

/** The page of a list after an item, or the first one; oldest change first. */
export function readUpwards(database: Database, user: number, last: Item | undefined, limit: number): Item[] {
  const from = last ? positionOf(last) : { after: 0, afterChange: 0 };
  const sql = rangeOf([kinds.unread, kinds.read], false, "ASC");
  return readItems(database, sql, { user, ...from, upTo: end, limit, skip: 0 });
}

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

  /**
   * Reads a long list from its oldest change to its newest, some items at a time, so that other calls are answered
   * meanwhile. An item that is changed meanwhile moves to the end, so that none is missed.
   */
  async function readLong(sql: string, range: Record<string, string | number>): Promise<Item[]> {
    const found = new Map<string, Item>();
    for (let last: Item | undefined, items: Item[]; ; last = items.at(-1)) {
      items = readItems(database, sql, { ...range, ...(last && positionOf(last)), limit: itemsAtOnce, skip: 0 });
      for (const item of items) {
        // A Map keeps the position of an existing key: remove it, so that the order is that of the changes.
        found.delete(item.itemId);
        found.set(item.itemId, item);
      }
      if (items.length < itemsAtOnce) break;
      await nextTurn();
    }
    return [...found.values()].reverse();
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

    async list(user, { state, after, applicationId, skip, limit, deletions }) {
      const row = await raiseSince(user);
      const asOf = Number(row.last_since);
      const showsDeleted = state !== "0" && after !== undefined && deletions === "asRead";
      const wanted = [
        ...(state === "1" ? [] : [kinds.unread]),
        ...(state === "0" ? [] : [kinds.read]),
        ...(showsDeleted ? [kinds.deleted] : []),
      ];
      const ofUser = {
        user: Number(row.id),
        after: after ?? -1,
        afterChange: end,
        upTo: after === undefined ? end : asOf,
      };
      const range = { ...ofUser, ...(applicationId !== undefined && { applicationId }) };
      const read = (kindsRead: readonly number[], part: { limit: number; skip: number }) =>
        readItems(database, rangeOf(kindsRead, applicationId !== undefined, "DESC"), { ...range, ...part });
      const whole = { limit: end, skip: 0 };
      const hasDeletions = after !== undefined && Number(row.deleted_at) > after;
      const deleted = hasDeletions ? read([kinds.deleted], whole) : [];
      const addedByOthers =
        hasDeletions && applicationId !== undefined
          ? readItems(database, rangeOf(Object.values(kinds), false, "DESC"), { ...ofUser, ...whole })
              .filter((item) => item.applicationId !== applicationId)
              .flatMap((item) => deletionOf(item, applicationId, after) ?? [])
          : [];
      const isMerged = showsDeleted && addedByOthers.length > 0;
      const part = isMerged ? { skip: 0, limit: limit && skip + limit } : { skip: Math.min(skip, end), limit };
      let items =
        part.limit !== undefined && part.limit <= itemsAtOnce
          ? read(wanted, { ...part, limit: part.limit })
          : (await readLong(rangeOf(wanted, applicationId !== undefined, "ASC"), range)).slice(
              part.skip,
              part.limit === undefined ? undefined : part.skip + part.limit,
            );
      if (isMerged) items = mergeDeletions(items, addedByOthers, skip, limit);
      deleted.push(...addedByOthers);
      return { items, deleted, asOf, user: userOf(row) };
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
            "SELECT time_updated, change FROM items WHERE user = :user AND item_id = :itemId",
            { user: Number(row.id), itemId: Number(after.itemId) },
          );
          return (stored && changeKeyOf(Number(stored.time_updated), Number(stored.change))) !== before?.changeKey;
        });
        if (isStale) return { kind: "stale", list: { ...list, clock, revision, unfinished } };
        const counts = [user.countUnread, user.countRead, 0];
        const timed = timeWrites(writes, clock, now);
        for (const [position, { before, after, timeAdded, timeUpdated }] of timed.writes.entries()) {
          const kind = kindOf(after);
          counts[kind] = Number(counts[kind]) + 1;
          if (before) counts[kindOf(before)] = Number(counts[kindOf(before)]) - 1;
          saveItem(database, Number(row.id), {
            ...after,
            ...{ timeAdded, timeUpdated },
            changeKey: changeKeyOf(timeUpdated, (revision + 1) * 100 + position),
          });
        }
        const { changedAt } = timed;
        const remaining = step ? afterStep(unfinished, step) : unfinished;
        database.run(
          `UPDATE users SET count_unread = :unread, count_read = :read, changed_at = :changedAt,
           deleted_at = CASE WHEN :deleted THEN :changedAt ELSE deleted_at END,
           revision = :revision, unfinished = :unfinished WHERE id = :id`,
          {
            id: Number(row.id),
            unread: Number(counts[0]),
            read: Number(counts[1]),
            changedAt,
            deleted: timed.writes.some(({ after }) => after.isDeleted) ? 1 : 0,
            revision: revision + 1,
            unfinished: JSON.stringify(remaining),
          },
        );
        return {
          kind: "written",
          list: { ...list, clock: { ...clock, changedAt }, revision: revision + 1, unfinished: remaining },
        };
      }),
  };
}

/** Writes an item, over what is in its place. */
export function saveItem(database: Database, user: number, item: Item): void {
  database.run(
    `INSERT INTO items (user, ${columns})
     VALUES (:user, :itemId, :number, :kind, :timeUpdated, :change, :timeAdded, :applicationId, :url, :title, :tags, :refId, :former)
     ON CONFLICT (user, item_id) DO UPDATE SET kind = excluded.kind, time_updated = excluded.time_updated,
       change = excluded.change, time_added = excluded.time_added, application = excluded.application,
       url = excluded.url, title = excluded.title, tags = excluded.tags, ref_id = excluded.ref_id,
       former_applications = excluded.former_applications, number = coalesce(number, excluded.number)`,
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
    },
  );
}

/** The numbers of a user's unread and read items. */
export function countKinds(database: Database, user: number): [unread: number, read: number] {
  const rows = database.all("SELECT kind, count(*) AS items FROM items WHERE user = :user GROUP BY kind", { user });
  const count = (kind: number) => Number(rows.find((row) => row.kind === kind)?.items ?? 0);
  return [count(kinds.unread), count(kinds.read)];
}
