// SPDX-License-Identifier: MIT

import { type Item, type ItemKind, itemKind, toChangeKey } from "@reading-list/core/domain/item.ts";
import { type Database, optional, parseJson, type Tuple, toJson, writeInsert } from "./database.ts";

/** The values of the column `kind`. */
export const kindNumbers: Record<ItemKind, number> = { unread: 0, read: 1, deleted: 2 };

export const columns =
  "item_id, number, kind, time_updated, change, time_added, application, url, title, tags, ref_id, former_applications, " +
  "trashed_state, continues, progress, time_of_content, has_highlights, highlights_told_at";
/** A query of a user's items, to which conditions are added. */
export const selectItems = `SELECT ${columns} FROM items WHERE user = :user`;

/** The column `change` has the revision and the position of a change key. */
export const parseRevision = (changeKey: string) => {
  const [, revision, position] = changeKey.split("#").map(Number);
  return Number(revision) * 100 + Number(position);
};

/** The greatest `change` of a revision. */
export const findLastChange = (revision: number) => revision * 100 + 99;

export const keyAt = (timeUpdated: number, change: number) =>
  toChangeKey(timeUpdated, Math.floor(change / 100), change % 100);

/** `row`: in the order of `columns`. */
function parseItem(row: Tuple): Item {
  const [itemId, number, kind, updated, change, added, application, url, title, tags, refId, former, ...rest] = row;
  const [trashedState, continues, progress, timeOfContent, hasHighlights, highlightsToldAt] = rest;
  const timeUpdated = Number(updated);
  return {
    itemId: String(itemId),
    url: String(url),
    title: String(title ?? url),
    tags: String(tags ?? ""),
    state: kind === kindNumbers.unread ? "0" : "1",
    applicationId: String(application),
    refId: refId == null ? undefined : String(refId),
    number: optional(number),
    formerApplications: parseJson(former),
    progress: parseJson(progress),
    continues: optional(continues),
    isDeleted: kind === kindNumbers.deleted,
    trashedState: trashedState == null ? undefined : trashedState === 0 ? "0" : "1",
    timeOfContent: optional(timeOfContent),
    hasHighlights: hasHighlights === 1 || undefined,
    highlightsToldAt: optional(highlightsToldAt),
    timeAdded: Number(added),
    timeUpdated,
    changeKey: keyAt(timeUpdated, Number(change)),
  };
}

/** The items that a query with `selectItems` finds. */
export const readItems = (database: Database, sql: string, parameters: Record<string, string | number>): Item[] =>
  database.tuples(sql, parameters).map(parseItem);

/** An item, or its tombstone. `user`: the id of the user's row. */
export const findItem = (database: Database, user: number, itemId: string): Item | undefined =>
  readItems(database, `${selectItems} AND item_id = :itemId`, { user, itemId: Number(itemId) })[0];

/** Writes or replaces an item. An existing number stays. */
export function saveItem(database: Database, user: number, item: Item): void {
  const values = {
    user,
    item_id: Number(item.itemId),
    number: item.number ?? null,
    kind: kindNumbers[itemKind(item)],
    time_updated: item.timeUpdated,
    change: parseRevision(item.changeKey),
    time_added: item.timeAdded,
    application: item.applicationId,
    url: item.url,
    title: item.title === item.url ? null : item.title,
    tags: item.tags || null,
    ref_id: item.refId ?? null,
    former_applications: toJson(item.formerApplications),
    trashed_state: item.trashedState === undefined ? null : Number(item.trashedState),
    continues: item.continues ?? null,
    progress: toJson(item.progress),
    time_of_content: item.timeOfContent ?? null,
    has_highlights: item.hasHighlights ? 1 : null,
    highlights_told_at: item.highlightsToldAt ?? null,
  };
  insertItem ??= `${writeInsert("items", values)} ON CONFLICT (user, item_id) DO UPDATE SET ${Object.keys(values)
    .map((name) => `${name} = ${name === "number" ? "coalesce(number, excluded.number)" : `excluded.${name}`}`)
    .join(", ")}`;
  database.run(insertItem, values);
}

let insertItem: string | undefined;

/** The numbers of a user's unread and read items. */
export function countKinds(database: Database, user: number): [unread: number, read: number] {
  const rows = database.all("SELECT kind, count(*) AS items FROM items WHERE user = :user GROUP BY kind", { user });
  const count = (kind: number) => Number(rows.find((row) => row.kind === kind)?.items ?? 0);
  return [count(kindNumbers.unread), count(kindNumbers.read)];
}
