// SPDX-License-Identifier: MIT

import type { Change, LocalItem } from "@reading-list/client/main.ts";
import { starredTag } from "@reading-list/core/domain/tags.ts";
import { starItem } from "../../data/edit-item.ts";
import type { ChangeList } from "../../data/use-changes.ts";
import { firstTexts, say } from "../../kit/texts.ts";

/** The changes that buttons and keys make, each with its notice. */
export function listActions(change: ChangeList) {
  const all = (items: readonly LocalItem[], changeOf: (item: LocalItem) => Change) => items.map(changeOf);
  return {
    /** Archives the unread ones or, if all are archived, marks all unread. */
    mark(items: readonly LocalItem[]) {
      const unread = items.filter(({ state }) => state === "unread");
      const marked = unread.length > 0 ? unread : items;
      const kind = unread.length > 0 ? "read" : "add";
      const notice = unread.length > 0 ? firstTexts.notices.archived : firstTexts.notices.unread;
      void change(
        all(marked, ({ url }) => ({ kind, url })),
        say(notice, { number: marked.length }),
      );
    },
    remove(items: readonly LocalItem[]) {
      const changes = all(items, ({ url }) => ({ kind: "delete", url }));
      void change(changes, say(firstTexts.notices.deleted, { number: items.length }));
    },
    /** Gives all a star or, if all have one, takes it away. */
    star(items: readonly LocalItem[]) {
      const isStarred = items.every(({ tags }) => tags.includes(starredTag));
      const changes = items.flatMap((item) => starItem(item, !isStarred));
      void change(changes, say(firstTexts.notices.changed, { number: items.length }));
    },
  };
}
