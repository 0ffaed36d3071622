// SPDX-License-Identifier: MIT

import { toSite } from "@reading-list/core/domain/hosts.ts";
import type { Item } from "@reading-list/core/domain/item.ts";
import { isStarred, listLabels } from "@reading-list/core/domain/tags.ts";
import { shownTitle, toUri } from "../shown-page.ts";
import { labelPrefix, longId, statePrefix } from "./fields.ts";

/** The subscription of a site: apps group items by it. */
export const feedForSite = (site: string) => ({
  streamId: `feed/https://${site}/`,
  title: site,
  htmlUrl: `https://${site}/`,
});

/** The text of an item as the API shows it. */
export interface ShownItem {
  item: Item;
  /** HTML. */
  content: string;
  author: string | undefined;
}

/** The time of an item in microseconds. */
export const writeTimestamp = ({ timeAdded }: Pick<Item, "timeAdded">): string => String(timeAdded * 1e6);

/** An item as Google Reader wrote it. */
export const writeItem = ({ item, content, author }: ShownItem) => ({
  id: longId(item.itemId),
  crawlTimeMsec: String(item.timeAdded * 1000),
  timestampUsec: writeTimestamp(item),
  published: item.timeAdded,
  updated: item.timeUpdated,
  title: shownTitle(item),
  canonical: [{ href: toUri(item) }],
  alternate: [{ href: toUri(item), type: "text/html" }],
  categories: [
    `${statePrefix}reading-list`,
    `${statePrefix}${item.state === "1" ? "read" : "kept-unread"}`,
    ...(isStarred(item) ? [`${statePrefix}starred`] : []),
    ...listLabels(item).map((label) => labelPrefix + label),
  ],
  origin: feedForSite(toSite(item)),
  summary: { direction: "ltr", content },
  ...(author && { author }),
});
