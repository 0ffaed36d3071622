// SPDX-License-Identifier: MIT

import { afterStep } from "@reading-list/core/domain/batch-progress.ts";
import type { HighlightColor } from "@reading-list/core/domain/highlight-fields.ts";
import { countChange, type Highlight, timeHighlights } from "@reading-list/core/domain/highlights.ts";
import { yieldIfLong } from "@reading-list/core/domain/turns.ts";
import { wrongCredentials } from "@reading-list/core/errors.ts";
import type { HighlightStore } from "@reading-list/core/ports/highlights.ts";
import type { WriteOutcome } from "@reading-list/core/ports/items.ts";
import type { ClosedUser } from "@reading-list/core/ports/users.ts";
import { type Database, optional, type Row, type Tuple } from "./database.ts";
import { keyAt, parseRevision, readItems, selectItems } from "./item-rows.ts";
import { assignNumbers } from "./numbers.ts";
import { findRow, parseUser } from "./users.ts";

/** Highlights that are read in one turn of the event loop: of the longest ones some 5 ms. */
export const highlightsAtOnce = 50;

const columns =
  "highlight_id, item_id, is_deleted, time_updated, change, time_created, quote, prefix, suffix, position, color, note, number";
/** A query of a user's highlights, to which conditions are added. */
export const selectHighlights = `SELECT ${columns} FROM highlights WHERE user = :user`;

/** `row`: in the order of `columns`. */
function parseHighlight(row: Tuple): Highlight {
  const [id, itemId, isDeleted, updated, change, created, quote, prefix, suffix, position, color, note, number] = row;
  const timeUpdated = Number(updated);
  return {
    id: String(id),
    itemId: String(itemId),
    quote: String(quote),
    prefix: String(prefix),
    suffix: String(suffix),
    position: optional(position),
    color: color as HighlightColor,
    note: String(note),
    timeCreated: Number(created),
    isDeleted: isDeleted === 1,
    number: optional(number),
    timeUpdated,
    changeKey: keyAt(timeUpdated, Number(change)),
  };
}

/** The highlights that a query with `selectHighlights` finds. */
export const readHighlights = (
  database: Database,
  sql: string,
  parameters: Record<string, string | number>,
): Highlight[] => database.tuples(sql, parameters).map(parseHighlight);

/** Writes or replaces a highlight. An existing number stays. */
export function saveHighlight(database: Database, user: number, highlight: Highlight): void {
  const { id, itemId, quote, prefix, suffix, position = null, color, note, timeCreated, timeUpdated } = highlight;
  database.run(
    `INSERT INTO highlights (user, ${columns})
     VALUES (:user, :id, :itemId, :isDeleted, :timeUpdated, :change, :timeCreated, :quote, :prefix, :suffix, :position, :color, :note, :number)
     ON CONFLICT (user, highlight_id) DO UPDATE SET item_id = excluded.item_id, is_deleted = excluded.is_deleted,
       time_updated = excluded.time_updated, change = excluded.change, time_created = excluded.time_created,
       quote = excluded.quote, prefix = excluded.prefix, suffix = excluded.suffix, position = excluded.position,
       color = excluded.color, note = excluded.note, number = coalesce(number, excluded.number)`,
    {
      user,
      id,
      itemId: Number(itemId),
      quote,
      prefix,
      suffix,
      position,
      color,
      note,
      timeCreated,
      timeUpdated,
      isDeleted: Number(highlight.isDeleted),
      number: highlight.number ?? null,
      change: parseRevision(highlight.changeKey),
    },
  );
}

const end = Number.MAX_SAFE_INTEGER;

function findUserRow(database: Database, { username, userId }: ClosedUser): Row | undefined {
  const row = findRow(database, username);
  return row?.user_id === userId ? row : undefined;
}

function writableRow(database: Database, user: ClosedUser): Row {
  const row = findUserRow(database, user);
  if (row?.password_hash == null) throw wrongCredentials();
  return row;
}

/** The highlights of users, and their tombstones. */
export function createHighlightStore(database: Database): HighlightStore {
  return {
    async find(user, ids) {
      const found = new Map<string, Highlight>();
      const row = findUserRow(database, user);
      for (const id of row ? ids : []) {
        const [highlight] = readHighlights(database, `${selectHighlights} AND highlight_id = :id`, {
          user: Number(row?.id),
          id,
        });
        if (highlight) found.set(id, highlight);
      }
      return found;
    },

    async count(user, itemIds) {
      const row = findUserRow(database, user);
      const sql = "SELECT count(*) AS size FROM highlights WHERE user = :user AND item_id = :itemId AND is_deleted = 0";
      const countItem = (itemId: string) =>
        Number(database.get(sql, { user: Number(row?.id ?? 0), itemId: Number(itemId) })?.size);
      return new Map(itemIds.map((itemId) => [itemId, countItem(itemId)]));
    },

    async *walk(user, { kind, after = -1, upTo = end, atOnce = highlightsAtOnce }) {
      const row = findUserRow(database, user);
      if (!row) return;
      const sql = `${selectHighlights} AND is_deleted = :isDeleted AND time_updated > :after AND time_updated <= :upTo
        AND (time_updated, change) < (:time, :change)
        ORDER BY time_updated DESC, change DESC LIMIT :limit`;
      const limit = Math.min(atOnce, highlightsAtOnce);
      for (let [time, change] = [end, end]; ; ) {
        await yieldIfLong();
        const found = readHighlights(database, sql, {
          user: Number(row.id),
          isDeleted: Number(kind === "deleted"),
          after,
          upTo,
          time,
          change,
          limit,
        });
        const last = found.at(-1);
        if (!last) return;
        yield found;
        if (found.length < limit) return;
        [time, change] = [last.timeUpdated, parseRevision(last.changeKey)];
      }
    },

    async *walkItem(user, itemId) {
      const row = findUserRow(database, user);
      const sql = `${selectHighlights} AND is_deleted = 0 AND item_id = :itemId AND highlight_id > :after
        ORDER BY highlight_id LIMIT ${highlightsAtOnce}`;
      for (let after = ""; row; ) {
        await yieldIfLong();
        const found = readHighlights(database, sql, { user: Number(row.id), itemId: Number(itemId), after });
        if (found.length > 0) yield found;
        if (found.length < highlightsAtOnce) return;
        after = found.at(-1)?.id ?? "";
      }
    },

    async *walkItems(user, kind, { after, upTo }) {
      const row = findUserRow(database, user);
      if (!row) return;
      const [condition, time] =
        kind === "restored" ? ["kind < 2", "highlights_told_at"] : ["kind = 2 AND has_highlights = 1", "time_updated"];
      const sql = `${selectItems} AND ${condition} AND ${time} > :after AND (${time}, item_id) < (:upTo, :itemId)
        ORDER BY ${time} DESC, item_id DESC LIMIT ${highlightsAtOnce}`;
      for (let [last, itemId] = [upTo + 1, 0]; ; ) {
        await yieldIfLong();
        const found = readItems(database, sql, { user: Number(row.id), after, upTo: last, itemId });
        const end = found.at(-1);
        if (!end) return;
        yield found;
        if (found.length < highlightsAtOnce) return;
        [last, itemId] = [
          (kind === "restored" ? end.highlightsToldAt : undefined) ?? end.timeUpdated,
          Number(end.itemId),
        ];
      }
    },

    // A transaction is visible at once, and later writes have a later time than the count of the call.
    visibleUpTo: async ({ clock }) => clock.lastSince,

    async current(user) {
      return parseUser(writableRow(database, user));
    },

    assignNumbers: (user, ids) => assignNumbers(database, user, "highlights", ids),

    async findByNumber(user, number) {
      const row = findUserRow(database, user);
      if (!row) return undefined;
      return readHighlights(database, `${selectHighlights} AND number = :number`, { user: Number(row.id), number })[0];
    },

    write: (list, writes, now, step) => database.save(() => writeHighlights(database, list, writes, now, step)),
  };
}

/** Writes changes of highlights, unless the list has changed since it was read. */
function writeHighlights(
  database: Database,
  ...[list, writes, now, step]: Parameters<HighlightStore["write"]>
): WriteOutcome {
  const row = writableRow(database, list);
  const user = Number(row.id);
  const { clock, revision, unfinished } = parseUser(row);
  if (revision !== list.revision) return { kind: "stale", list: { ...list, clock, revision, unfinished } };
  const { time, highlights } = timeHighlights(writes, { clock, revision }, now);
  for (const highlight of highlights) saveHighlight(database, user, highlight);
  for (const itemId of new Set(writes.filter(({ isFirstOfItem }) => isFirstOfItem).map(({ after }) => after.itemId))) {
    database.run("UPDATE items SET has_highlights = 1 WHERE user = :user AND item_id = :itemId", {
      user,
      itemId: Number(itemId),
    });
  }
  const highlightsAt = writes.length > 0 ? time : clock.highlightsAt;
  const remaining = step ? afterStep(unfinished, step) : unfinished;
  database.run(
    `UPDATE users SET highlights = highlights + :change, highlights_at = :highlightsAt, revision = :revision,
       unfinished = :unfinished WHERE id = :user`,
    {
      user,
      change: countChange(writes),
      highlightsAt,
      revision: revision + 1,
      unfinished: JSON.stringify(remaining),
    },
  );
  const changed = { clock: { ...clock, highlightsAt }, revision: revision + 1, unfinished: remaining };
  return { kind: "written", list: { ...list, ...changed } };
}
