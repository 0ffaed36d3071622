import type { Item, ItemContent, ItemWrite } from "./item.ts";
import { itemIdOf } from "./item-id.ts";

/** One requested change of a list (spec section 4.2), its URL resolved to an item id. */
export type Change =
  | { kind: "add"; itemId: string; url: string; title: string | undefined; refId: string | undefined }
  | { kind: "read"; itemId: string }
  | { kind: "title"; itemId: string; title: string }
  | { kind: "tags"; itemId: string; tags: string };

/** The addition of a page, from the fields that `add` and the entries of `send` share; its URL is a valid one. */
export function additionOf(page: { url: string; title?: string | undefined; ref_id?: string | undefined }): Change {
  const { url, title, ref_id: refId } = page;
  return { kind: "add", itemId: itemIdOf(url), url, title, refId };
}

/** The item after a change; undefined where the page is not in the list and the change does not add it. */
function changed(item: ItemContent | undefined, change: Change, applicationId: string): ItemContent | undefined {
  if (change.kind === "add") {
    const { itemId, url, title, refId } = change;
    return item
      ? { ...item, state: "0", title: title ?? item.title, refId: refId ?? item.refId }
      : { itemId, url, title: title ?? url, tags: "", state: "0", applicationId, refId };
  }
  if (!item) return undefined;
  switch (change.kind) {
    case "read":
      return { ...item, state: "1" };
    case "title":
      return { ...item, title: change.title };
    case "tags":
      return { ...item, tags: change.tags };
  }
}

const isSame = (a: ItemContent, b: ItemContent) => a.state === b.state && a.title === b.title && a.tags === b.tags;

/**
 * The writes that carry out `changes` in order on the items as they were read; at most one write for an item, in the
 * order of its first change. Left out are changes of pages that are not in the list, and items that end as they began,
 * so that a retried request is harmless; but a page that is added again moves to the top.
 */
export function planWrites(
  existing: ReadonlyMap<string, Item>,
  changes: readonly Change[],
  applicationId: string,
): ItemWrite[] {
  const writes = new Map<string, ItemWrite>();
  const added = new Set<string>();
  for (const change of changes) {
    const before = existing.get(change.itemId);
    const after = changed(writes.get(change.itemId)?.after ?? before, change, applicationId);
    if (after) writes.set(change.itemId, { before, after });
    if (change.kind === "add") added.add(change.itemId);
  }
  return [...writes.values()].filter(({ before, after }) => {
    return !before || added.has(after.itemId) || !isSame(before, after);
  });
}
