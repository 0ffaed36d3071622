// SPDX-License-Identifier: MIT

import { changeTags } from "@reading-list/client/change.ts";
import type { Change, LocalItem } from "@reading-list/client/main.ts";
import { starredTag } from "@reading-list/core/domain/tags.ts";

/** The change that gives an item a star, or takes it away; none if that is so already. */
export const starItem = (item: LocalItem, isStarred: boolean): Change[] =>
  changeTags(item, [...item.tags.filter((tag) => tag !== starredTag), ...(isStarred ? [starredTag] : [])]);

/**
 * The changes by which an item has another title and is unread, and the difference of the tags that a person has edited.
 */
export function editItem(
  item: LocalItem,
  title: string,
  tagsBefore: readonly string[],
  tags: readonly string[],
): Change[] {
  const { url } = item;
  const changes: Change[] = item.state === "read" ? [{ kind: "add", url }] : [];
  if (title && title !== item.title) changes.push({ kind: "title", url, title });
  return [...changes, ...changeTags({ url, tags: [...tagsBefore] }, tags)];
}
