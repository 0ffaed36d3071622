import type { Item, ItemContent, ItemWrite } from "./item.ts";
import { itemIdOf } from "./item-id.ts";

/** One requested change of a list, its URL resolved to an item id. */
export type Change =
  | ({ kind: "add"; itemId: string; url: string } & Record<"title" | "tags" | "refId", string | undefined>)
  | { kind: "read"; itemId: string }
  | { kind: "title"; itemId: string; title: string }
  | { kind: "tags"; itemId: string; tags: string }
  | { kind: "delete"; itemId: string };

/** The fields that `add` and the entries of `new` share; `url` is valid, `tags` are normalised. */
type AddedPage = { url: string } & { [Field in "title" | "tags" | "ref_id"]?: string | undefined };

/** The change that adds a page. */
export function additionOf({ url, title, tags, ref_id: refId }: AddedPage): Change {
  return { kind: "add", itemId: itemIdOf(url), url, title, tags, refId };
}

/** The item after a change; undefined if the page is not in the list and the change does not add it. */
function changed(item: ItemContent | undefined, change: Change, applicationId: string): ItemContent | undefined {
  if (change.kind === "add") {
    const { itemId, url, title, tags, refId } = change;
    return item
      ? { ...item, state: "0", title: title ?? item.title, tags: tags ?? item.tags, refId: refId ?? item.refId }
      : { itemId, url, title: title ?? url, tags: tags ?? "", state: "0", applicationId, refId, isDeleted: false };
  }
  if (!item) return undefined;
  switch (change.kind) {
    case "read":
      return { ...item, state: "1" };
    case "title":
      return { ...item, title: change.title };
    case "tags":
      return { ...item, tags: change.tags };
    case "delete":
      return { ...item, isDeleted: true };
  }
}

const isLive = (item: ItemContent | undefined) => item !== undefined && !item.isDeleted;

const isSame = (a: ItemContent, b: ItemContent) =>
  a.state === b.state && a.title === b.title && a.tags === b.tags && a.isDeleted === b.isDeleted;

/**
 * The writes that carry out `changes` in order on the items as they were read: at most one for each item, and among
 * added items the one added last comes last. Changes of pages that are not in the list are ignored, and so are changes
 * that alter nothing, so that a retried request is harmless. A page that is added again always moves to the top.
 */
export function planWrites(
  existing: ReadonlyMap<string, Item>,
  changes: readonly Change[],
  applicationId: string,
): ItemWrite[] {
  const writes = new Map<string, ItemWrite>();
  const added = new Set<string>();
  for (const change of changes) {
    const { itemId } = change;
    const before = existing.get(itemId);
    const current = writes.get(itemId)?.after ?? before;
    const after = changed(isLive(current) ? current : undefined, change, applicationId);
    if (change.kind === "add") {
      added.add(itemId);
      // A Map keeps the position of an existing key: remove it, so that the last addition decides the order.
      writes.delete(itemId);
    }
    if (after) writes.set(itemId, { before, after });
  }
  return [...writes.values()].filter(({ before, after }) => {
    if (!before || before.isDeleted) return !after.isDeleted;
    return added.has(after.itemId) || !isSame(before, after);
  });
}
