import type { Item, ItemContent, ItemWrite } from "./item.ts";

/** One requested change of a list (spec section 4.2), its URL resolved to an item id. */
export type Change =
  | { kind: "add"; itemId: string; url: string; title: string | undefined; refId: string | undefined }
  | { kind: "read"; itemId: string }
  | { kind: "title"; itemId: string; title: string }
  | { kind: "tags"; itemId: string; tags: string };

/** The item after a change; undefined where the change has no effect. */
function changed(item: ItemContent | undefined, change: Change, applicationId: string): ItemContent | undefined {
  if (change.kind === "add") {
    const { itemId, url, title, refId } = change;
    // Adding a page again counts as a change even where nothing differs: it moves to the top.
    return item
      ? { ...item, state: "0", title: title ?? item.title, refId: refId ?? item.refId }
      : { itemId, url, title: title ?? url, tags: "", state: "0", applicationId, refId };
  }
  if (!item) return undefined;
  switch (change.kind) {
    case "read":
      return item.state === "1" ? undefined : { ...item, state: "1" };
    case "title":
      return item.title === change.title ? undefined : { ...item, title: change.title };
    case "tags":
      return item.tags === change.tags ? undefined : { ...item, tags: change.tags };
  }
}

/**
 * The writes that carry out `changes` in order on the items as they were read; at most one write for an item, in the
 * order of its first change. Changes of pages that are not in the list, and changes that change nothing, are left out.
 */
export function planWrites(
  existing: ReadonlyMap<string, Item>,
  changes: readonly Change[],
  applicationId: string,
): ItemWrite[] {
  const writes = new Map<string, ItemWrite>();
  for (const change of changes) {
    const before = existing.get(change.itemId);
    const after = changed(writes.get(change.itemId)?.after ?? before, change, applicationId);
    if (after) writes.set(change.itemId, { before, after });
  }
  return [...writes.values()];
}
