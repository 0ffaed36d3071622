import { type Change, pageKeyOf } from "./change.ts";
import { type Item, newestFirst } from "./item.ts";
import type { QueuedChange, Store, StoredItem } from "./store.ts";

/** An item as the user sees it on this device. */
export interface LocalItem extends Omit<Item, "itemId"> {
  /** Absent for a page that was added on this device and is not on the service yet. */
  itemId?: string | undefined;
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

/** Items with queued changes on top of them. */
export function withChanges(items: readonly StoredItem[], queue: readonly QueuedChange[]): LocalItem[] {
  const inOrder = [...items].sort((a, b) => newestFirst(a, b) || a.rank - b.rank);
  if (queue.length === 0) return inOrder.map(({ rank: _, ...item }) => ({ ...item, isPending: false }));
  const pages = new Map(
    inOrder.map(({ rank: _, ...item }): [string, LocalItem] => [pageKeyOf(item.url), { ...item, isPending: false }]),
  );
  const added = new Map<string, LocalItem>();
  for (const { change, queuedAt } of queue) {
    const key = pageKeyOf(change.url);
    const before = added.get(key) ?? pages.get(key);
    const after = changed(before, change, queuedAt);
    // A page that is added again moves to the top.
    const place = change.kind === "add" || added.has(key) ? added : pages;
    if (change.kind === "add" || !after) {
      pages.delete(key);
      added.delete(key);
    }
    if (after) place.set(key, after);
  }
  return [...[...added.values()].reverse(), ...pages.values()];
}

/** The item after a change; undefined if it is not in the list then. */
function changed(item: LocalItem | undefined, change: Change, at: Date): LocalItem | undefined {
  if (change.kind === "add") {
    const { url } = change;
    const title = change.title || item?.title || url;
    const tags = change.tags?.length ? [...change.tags] : (item?.tags ?? []);
    return { url, timeAdded: at, ...item, title, tags, state: "unread", timeUpdated: at, isPending: true };
  }
  if (!item || change.kind === "delete") return undefined;
  if (change.kind === "read") return { ...item, state: "read", isPending: true };
  if (change.kind === "title") return { ...item, title: change.title, isPending: true };
  return { ...item, tags: [...change.tags], isPending: true };
}
