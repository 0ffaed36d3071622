// SPDX-License-Identifier: MIT

import { toSql } from "@reading-list/core/domain/condition-sql.ts";
import { type Item, type ItemKind, parseChangeTime } from "@reading-list/core/domain/item.ts";
import type { ListFilter } from "@reading-list/core/domain/list-filter.ts";
import type { PagePlace } from "@reading-list/core/domain/list-pages.ts";
import type { Database, Tuple } from "./database.ts";
import { columns, kindNumbers, parseRevision, readItems } from "./item-rows.ts";

/** Facts of an item that conditions compare; `Database` defines the functions. */
const factColumns = {
  state: "iif(kind = 0, '0', '1')",
  applicationId: "application",
  timeAdded: "time_added",
  tags: "',' || ifnull(tags, '') || ','",
  tagKeys: "tag_keys(tags)",
  site: "site_of(url)",
};

/** A place in the order of changes: the columns `time_updated` and `change`. */
export interface Place {
  time: number;
  change: number;
}

/** A part of a user's list. `user`: the id of the user's row. */
export interface ListSpan {
  user: number;
  kinds: readonly ItemKind[];
  filter: ListFilter;
  /** Only changes after it. */
  after?: Place | undefined;
  /** Only changes up to it. */
  upTo?: Place | undefined;
}

const lastChange = Number.MAX_SAFE_INTEGER;

/** The last place of a second. */
export const endOfSecond = (time: number): Place => ({ time, change: lastChange });

export const parseChangeKey = (changeKey: string): Place => ({
  time: parseChangeTime(changeKey),
  change: parseRevision(changeKey),
});

export const placeBefore = ({ time, change }: Place): Place => ({ time, change: change - 1 });

/**
 * Ids, times and changes of a part of a list, in the order of changes: a merge of one range of the index for each kind.
 * A skipped item costs only a step in the index.
 */
function idsQuery({ user, kinds, filter, after, upTo }: ListSpan, { order, skip, limit }: PagePlace) {
  const direction = order === "newestFirst" ? "DESC" : "ASC";
  const values: Record<string, string | number> = {};
  const bind = (value: string | number) => {
    const name = `value${Object.keys(values).length}`;
    values[name] = value;
    return `:${name}`;
  };
  const conditions = [
    ...(after ? ["(time_updated, change) > (:after, :afterChange)"] : []),
    ...(upTo ? ["(time_updated, change) <= (:upTo, :upToChange)"] : []),
    // The kinds contain the state.
    ...filter.flatMap((each) => (each.kind === "state" ? [] : [`(${toSql(each, factColumns, bind)})`])),
  ].map((condition) => ` AND ${condition}`);
  const ranges = kinds.map(
    (kind) =>
      `SELECT id, time_updated AS updated, change AS position FROM items
       WHERE user = :user AND kind = ${kindNumbers[kind]}${conditions.join("")}`,
  );
  const sql = `${ranges.join(" UNION ALL ")} ORDER BY updated ${direction}, position ${direction} LIMIT :limit OFFSET :skip`;
  const parameters = {
    user,
    skip,
    limit,
    ...(after && { after: after.time, afterChange: after.change }),
    ...(upTo && { upTo: upTo.time, upToChange: upTo.change }),
    ...values,
  };
  return { sql, parameters, direction };
}

export function readIds(database: Database, span: ListSpan, place: PagePlace): Tuple[] {
  const { sql, parameters } = idsQuery(span, place);
  return database.tuples(sql, parameters);
}

/** The items of a part of a list. The table is read only for returned items. */
export function readSpan(database: Database, span: ListSpan, place: PagePlace): Item[] {
  const { sql, parameters, direction } = idsQuery(span, place);
  return readItems(
    database,
    `SELECT ${columns} FROM (${sql}) AS span CROSS JOIN items USING (id)
     ORDER BY span.updated ${direction}, span.position ${direction}`,
    parameters,
  );
}

/** The items of these ids that are of these kinds, in the order of the ids. */
export const readItemsOfIds = (database: Database, ids: Float64Array, kinds: readonly ItemKind[]): Item[] =>
  readItems(
    database,
    `SELECT ${columns} FROM json_each(:ids) CROSS JOIN items ON items.id = json_each.value
     AND kind IN (${kinds.map((kind) => kindNumbers[kind])})`,
    { ids: `[${ids.join()}]` },
  );

/** The page of a list after an item, or the first one; oldest change first. */
export const readUpwards = (database: Database, user: number, last: Item | undefined, limit: number): Item[] =>
  readSpan(
    database,
    { user, kinds: ["unread", "read"], filter: [], after: last && parseChangeKey(last.changeKey) },
    { order: "oldestFirst", skip: 0, limit },
  );
