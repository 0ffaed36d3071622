// SPDX-License-Identifier: MIT

import { type Change, tagsAfter, toPageKey } from "./change.ts";
import { type Item, placeInOrder } from "./item.ts";
import type { QueuedChange, Store, StoredItem } from "./store.ts";

/** An item as the user sees it on this device. */
export interface LocalItem extends Omit<Item, "itemId"> {
  /** Absent for a page that was added on this device and is not on the service yet. */
  itemId?: string | undefined;
  /** Places in the orders of adding and of archiving, which later changes do not move; larger is newer. */
  orderAdded?: number | undefined;
  orderRead?: number | undefined;
  /** Shows local changes that are not in the replica yet. */
  isPending: boolean;
}

/**
 * The list as the user sees it on this device, newest first: the replica, with the queued local changes on top. An unsent
 * local change wins: it is applied to whatever other devices made of the item, as the service will when it is sent.
 */
export async function localItems(store: Store): Promise<LocalItem[]> {
  // The queue is read first: a change that leaves it in between is in the items by then.
  const queue = await store.queue();
  return withChanges(await store.items(), queue);
}

/** Items with queued changes on top of them. The objects of unchanged items are the same at each call. */
export function withChanges(items: readonly StoredItem[], queue: readonly QueuedChange[]): LocalItem[] {
  // Newest first.
  const inOrder = items
    .toSorted((a, b) => b.timeUpdated.getTime() - a.timeUpdated.getTime() || a.rank - b.rank)
    .map(toLocalItem);
  if (queue.length === 0) return inOrder;
  const named = new Set(queue.map(({ change }) => change.url));
  const known = inOrder.filter(({ url }) => named.has(url));
  // Mostly, all named pages are in the list: a map of 20,000 pages takes as long as their sort.
  const pages = new Map((known.length === named.size ? known : inOrder).map((item) => [item.url, item]));
  const touched = new Set<string>();
  const added = new Map<string, LocalItem>();
  /** URLs by page key; made if a change spells the URL of its page in another way, or adds a page. */
  let spellings: Map<string, string> | undefined;
  const findSpelling = (url: string) => {
    if (pages.has(url) || added.has(url)) return url;
    spellings ??= new Map(inOrder.map((item) => [cachedPageKey(item), item.url]));
    const key = toPageKey(url);
    if (!spellings.has(key)) spellings.set(key, url);
    return spellings.get(key) ?? url;
  };
  for (const { change, queuedAt } of queue) {
    const key = findSpelling(change.url);
    touched.add(key);
    const before = added.get(key) ?? pages.get(key);
    const after = changed(before, change, queuedAt);
    // A page that is added again, or restored, moves to the top.
    const place = change.kind === "add" || !before || added.has(key) ? added : pages;
    if (change.kind === "add" || !after) {
      pages.delete(key);
      added.delete(key);
    }
    if (after) place.set(key, after);
  }
  const shown = [...added.values()].reverse();
  for (const item of inOrder) {
    const now = touched.has(item.url) ? pages.get(item.url) : item;
    if (now) shown.push(now);
  }
  return shown;
}

/** The item of a page. */
export function findItem(items: readonly LocalItem[], url: string): LocalItem | undefined {
  const same = items.find((item) => item.url === url);
  if (same) return same;
  const key = toPageKey(url);
  return items.find((item) => cachedPageKey(item) === key);
}

const unchanged = new WeakMap<StoredItem, LocalItem>();
const keys = new WeakMap<LocalItem, string>();

function toLocalItem(stored: StoredItem): LocalItem {
  let item = unchanged.get(stored);
  if (!item) {
    const { rank: _, ...fields } = stored;
    item = { ...fields, isPending: false };
    unchanged.set(stored, item);
  }
  return item;
}

/** `toPageKey` parses a URL, which takes long for a whole list. */
function cachedPageKey(item: LocalItem): string {
  let key = keys.get(item);
  if (key === undefined) {
    key = toPageKey(item.url);
    keys.set(item, key);
  }
  return key;
}

/** The item after a change; undefined if it is not in the list then. */
function changed(item: LocalItem | undefined, change: Change, at: Date): LocalItem | undefined {
  if (change.kind === "add") {
    const { url } = change;
    const title = change.title || item?.title || url;
    const tags = change.tags?.length ? [...change.tags] : (item?.tags ?? []);
    const timeAdded = item?.timeAdded ?? change.timeAdded ?? at;
    // A page without its own time is the newest, whatever this device's clock says.
    const orderAdded = item?.orderAdded ?? (change.timeAdded ? placeInOrder(timeAdded, 0) : Number.POSITIVE_INFINITY);
    return {
      url,
      ...item,
      timeAdded,
      orderAdded,
      orderRead: undefined,
      title,
      tags,
      state: "unread",
      timeUpdated: at,
      isPending: true,
    };
  }
  if (change.kind === "restore") {
    if (item) return item;
    const { url, title = url, tags = [], timeAdded = at, isRead } = change;
    const [orderAdded, orderRead] = [placeInOrder(timeAdded, 0), isRead ? Number.POSITIVE_INFINITY : undefined];
    const state = isRead ? "read" : "unread";
    return { url, title, tags: [...tags], state, timeAdded, timeUpdated: at, orderAdded, orderRead, isPending: true };
  }
  if (!item || change.kind === "delete") return undefined;
  if (change.kind === "progress") {
    return { ...item, progress: { percent: change.percent, anchor: change.anchor ?? "" }, isPending: true };
  }
  if (change.kind === "read")
    return { ...item, state: "read", orderRead: item.orderRead ?? Number.POSITIVE_INFINITY, isPending: true };
  if (change.kind === "title") return { ...item, title: change.title, isPending: true };
  return { ...item, tags: tagsAfter(item.tags, change), isPending: true };
}
