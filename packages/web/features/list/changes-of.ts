// SPDX-License-Identifier: MIT

import type { Change, LocalItem } from "@reading-list/client/main.ts";

/** The changes of an item that has another title and tags, and is unread. */
export function changesOf(item: LocalItem, title: string, tags: readonly string[]): Change[] {
  const { url } = item;
  const changes: Change[] = item.state === "read" ? [{ kind: "add", url }] : [];
  if (title && title !== item.title) changes.push({ kind: "title", url, title });
  if (tags.join() !== item.tags.join()) changes.push({ kind: "tags", url, tags });
  return changes;
}
