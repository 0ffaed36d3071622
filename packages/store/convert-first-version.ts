import type { Item, ItemState } from "@reading-list/core/domain/item.ts";
import { itemIdOf } from "@reading-list/core/domain/item-id.ts";
import { normaliseTags } from "@reading-list/core/domain/tags.ts";
import { putBatch, walkPartition, walkTable } from "./batches.ts";
import type { Table } from "./client.ts";
import { recordOf } from "./item-records.ts";
import { changeKey, isItemKey, isUserKey, itemPrefix, userKey } from "./keys.ts";
import { ListCounts } from "./list-counts.ts";
import { parseUserRecord } from "./users.ts";

/** An item's record as version 0.1.0 wrote it. */
interface OldItemRecord {
  /** 63 bits of the hash of the URL. */
  itemId: string;
  url: string;
  title?: string;
  tags?: string;
  state: ItemState;
  applicationId?: string;
  refId?: string;
  timeAdded?: number;
  timeUpdated: number;
}

/** Attributes of version 0.1.0's user record that are obsolete or recomputed. */
const droppedAttributes = ["marks", "walks", "newestUnread", "newestRead"];

/** Items and users that were converted; `merged` items had the same page as another item of the list. */
export interface Conversion {
  users: number;
  items: number;
  merged: number;
}

/**
 * Copies all records of a table that version 0.1.0 wrote to an empty table of the current layout. Items get new ids;
 * items that have the same id now are merged. The source is only read.
 */
export async function convertFirstVersion(from: Table, to: Table): Promise<Conversion> {
  const done: Conversion = { users: 0, items: 0, merged: 0 };
  for await (const records of walkTable(from)) {
    await putBatch(
      to,
      records.filter(({ sk }) => !isItemKey(sk) && !isUserKey(sk)),
    );
    for (const record of records.filter(({ sk }) => isUserKey(sk))) {
      const { items, merged } = await convertUser(from, to, record);
      done.users += 1;
      done.items += items;
      done.merged += merged;
    }
  }
  return done;
}

async function convertUser(from: Table, to: Table, user: Record<string, unknown>): Promise<Omit<Conversion, "users">> {
  const { username, revision, changedAt: lastChange } = parseUserRecord(user);
  const old: OldItemRecord[] = [];
  for await (const records of walkPartition(from, userKey(username).pk, itemPrefix)) {
    old.push(...(records as unknown as OldItemRecord[]));
  }
  const items = convertItems(old);
  const counts = new ListCounts();
  for (const item of items) counts.add(item);
  const changedAt = Math.max(lastChange, items.at(-1)?.timeUpdated ?? 0);
  const kept = Object.fromEntries(Object.entries(user).filter(([name]) => !droppedAttributes.includes(name)));
  await putBatch(
    to,
    items.map((item) => recordOf(username, item)),
  );
  const record = { ...kept, changedAt, revision: Math.max(revision, items.length) };
  await putBatch(to, [{ ...record, ...counts.attributesAt(changedAt) }]);
  return { items: items.length, merged: old.length - items.length };
}

/** The items of a list with new ids, in the order in which version 0.1.0 listed them, oldest change first. */
function convertItems(records: readonly OldItemRecord[]): Item[] {
  const oldestFirst = records.toSorted(
    (one, other) => one.timeUpdated - other.timeUpdated || (BigInt(one.itemId) < BigInt(other.itemId) ? -1 : 1),
  );
  const byId = new Map<string, Omit<Item, "changeKey">>();
  for (const record of oldestFirst) {
    const item = convertItem(record);
    const before = byId.get(item.itemId);
    // A page is ordered by its last change.
    byId.delete(item.itemId);
    byId.set(item.itemId, before ? merge(before, item) : item);
  }
  // The list's revision counts on from the number of items.
  return [...byId.values()].map((item, index) => ({ ...item, changeKey: changeKey(item.timeUpdated, index, 0) }));
}

const convertItem = ({ url, title = url, tags = "", ...record }: OldItemRecord): Omit<Item, "changeKey"> => ({
  itemId: itemIdOf(url),
  url,
  title,
  tags,
  state: record.state,
  applicationId: record.applicationId ?? "",
  refId: record.refId,
  isDeleted: false,
  timeAdded: record.timeAdded ?? record.timeUpdated,
  timeUpdated: record.timeUpdated,
});

/** As if the page had been added first, and then again: the last change decides its state and title. */
function merge(earlier: Omit<Item, "changeKey">, later: Omit<Item, "changeKey">): Omit<Item, "changeKey"> {
  const first = earlier.timeAdded <= later.timeAdded ? earlier : later;
  return {
    ...later,
    url: first.url,
    title: later.title === later.url ? earlier.title : later.title,
    tags: normaliseTags([earlier.tags, later.tags].join(",")),
    applicationId: first.applicationId,
    refId: first.refId ?? earlier.refId ?? later.refId,
    timeAdded: first.timeAdded,
  };
}
