// SPDX-License-Identifier: MIT

import type { Change, LocalItem } from "@reading-list/client/main.ts";
import type { Place } from "../data/place.ts";
import { firstTexts, say } from "../kit/texts.ts";

/** The items before and after an open one. An item that has left the list was at the index of the place. */
export function neighboursOf({ url }: LocalItem, shown: readonly LocalItem[], place: Place) {
  const found = shown.findIndex((item) => item.url === url);
  if (found >= 0) Object.assign(place, { url, index: found });
  const index = found >= 0 ? found : Math.max(0, place.index);
  return { previous: shown[index - 1], next: shown[found >= 0 ? index + 1 : index] };
}

/** What changes of an open article did. */
export function noticeFor(changes: readonly Change[]): string {
  const kinds = {
    read: "archived",
    add: "unread",
    restore: "unread",
    delete: "deleted",
    title: "changed",
    tags: "changed",
    progress: "changed",
  } as const;
  return say(firstTexts.notices[kinds[changes[0]?.kind ?? "title"]], { number: changes.length });
}
