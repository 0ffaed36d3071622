// SPDX-License-Identifier: MIT

import type { Change, LocalItem } from "@reading-list/client/main.ts";
import { starredTag } from "@reading-list/core/domain/tags.ts";
import { starItem } from "../../data/edit-item.ts";

/** Changes of an open article, and the state that its buttons show. */
export interface ArticleActions {
  isRead: boolean;
  isStarred: boolean;
  /** Archives the article and closes it, or marks it as unread. */
  toggleRead(): void;
  archiveAndNext(): void;
  toggleStar(): void;
  remove(): void;
}

export function createArticleActions({
  item,
  next,
  onChange,
  onOpen,
  onClose,
}: {
  item: LocalItem;
  /** The item after it in the list. */
  next: LocalItem | undefined;
  onChange(changes: Change[]): void;
  onOpen(item: LocalItem): void;
  onClose(): void;
}): ArticleActions {
  const { url } = item;
  const isRead = item.state === "read";
  const isStarred = item.tags.includes(starredTag);
  return {
    isRead,
    isStarred,
    toggleRead() {
      if (isRead) return onChange([{ kind: "add", url }]);
      onChange([{ kind: "read", url }]);
      onClose();
    },
    archiveAndNext() {
      if (!isRead) onChange([{ kind: "read", url }]);
      if (next) onOpen(next);
      else onClose();
    },
    toggleStar: () => onChange(starItem(item, !isStarred)),
    remove() {
      onChange([{ kind: "delete", url }]);
      onClose();
    },
  };
}
