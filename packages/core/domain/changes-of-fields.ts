// SPDX-License-Identifier: MIT

import type { Change } from "./changes.ts";
import { listLabels, starredTag } from "./tags.ts";

/** The fields of an item that an app of another service sets; the others are undefined. */
export interface ChangedFields {
  title?: string | undefined;
  isRead?: boolean | undefined;
  isStarred?: boolean | undefined;
  /** All labels from now on. */
  labels?: readonly string[] | undefined;
  addedLabels?: readonly string[] | undefined;
  removedLabels?: readonly string[] | undefined;
}

/** The changes that set these fields of an item. */
export function planFieldChanges(item: { itemId: string; tags: string }, fields: ChangedFields): Change[] {
  const { title, isRead, isStarred, labels, addedLabels = [], removedLabels = [] } = fields;
  const { itemId } = item;
  const add = [...(labels ?? []), ...addedLabels, ...(isStarred ? [starredTag] : [])];
  const remove = [...(labels ? listLabels(item) : []), ...removedLabels, ...(isStarred === false ? [starredTag] : [])];
  return [
    ...(title ? [{ kind: "title" as const, itemId, title }] : []),
    ...(isRead === undefined ? [] : [{ kind: isRead ? "read" : "unread", itemId } as const]),
    ...(add.length + remove.length > 0 ? [{ kind: "retag" as const, itemId, add, remove }] : []),
  ];
}
