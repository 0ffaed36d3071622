// SPDX-License-Identifier: MIT

import { type Item, itemKind, parseChangeTime } from "@reading-list/core/domain/item.ts";
import { deletionsKeptSeconds } from "@reading-list/core/ports/items.ts";
import { deletedPrefix, itemKey, parseItemKey } from "./keys.ts";

/** The record of an item: attributes for indexes and conditions, and one JSON text that is only returned. */
interface ItemRecord {
  sk: string;
  /** Sort key of the index `byTime`: the item's change key, after `deletedPrefix` if the item was deleted. */
  changed: string;
  /** Sort key of the sparse index `unread`: the change key of an unread item. */
  unread?: string;
  /** See `ItemStore.assignNumbers`; absent until it is given. */
  itemNumber?: number;
  /** A `StoredPage` as JSON. */
  page: string;
  /** See `Item.trashedState`; an attribute, so that conditions of writes can ask for it. */
  trash?: Item["trashedState"];
  /** See `Item.hasHighlights`; an attribute, so that it can be set without a change of the rest. */
  marked?: true;
  /** Unix seconds at which DynamoDB removes a tombstone. */
  expires?: number;
}

/** The rest of an item. A field whose value is the default is left out. */
interface StoredPage {
  url: string;
  /** The URL if absent. */
  title?: string | undefined;
  tags?: string | undefined;
  app: string;
  ref?: string | undefined;
  added: number;
  /** Former applications. */
  former?: Readonly<Record<string, number>> | undefined;
  progress?: Item["progress"];
  continues?: number | undefined;
  /** `Item.timeOfContent`. */
  content?: number | undefined;
  /** `Item.highlightsToldAt`. */
  told?: number | undefined;
}

/** The attribute `changed` of an item, its version for optimistic locking. */
export const storedChangeKey = ({ isDeleted, changeKey }: Item) => (isDeleted ? deletedPrefix + changeKey : changeKey);

export function writeRecord(username: string, item: Item) {
  const { itemId, number, url, formerApplications = {}, isDeleted, timeUpdated, changeKey, trashedState } = item;
  const page: StoredPage = {
    url,
    title: item.title === url ? undefined : item.title,
    tags: item.tags || undefined,
    app: item.applicationId,
    ref: item.refId,
    added: item.timeAdded,
    former: Object.keys(formerApplications).length > 0 ? formerApplications : undefined,
    progress: item.progress,
    continues: item.continues,
    content: item.timeOfContent,
    told: item.highlightsToldAt,
  };
  return {
    ...itemKey(username, itemId),
    changed: storedChangeKey(item),
    ...(itemKind(item) === "unread" && { unread: changeKey }),
    ...(number !== undefined && { itemNumber: number }),
    page: JSON.stringify(page),
    ...(trashedState !== undefined && { trash: trashedState }),
    ...(item.hasHighlights && { marked: true }),
    ...(isDeleted && { expires: timeUpdated + deletionsKeptSeconds }),
  };
}

export function parseItem(record: object): Item {
  const { sk, changed, unread, itemNumber, page: json, trash, marked } = record as ItemRecord;
  const page: Partial<StoredPage> & { url: string } = JSON.parse(json);
  const isDeleted = changed.startsWith(deletedPrefix);
  const changeKey = isDeleted ? changed.slice(deletedPrefix.length) : changed;
  const timeUpdated = parseChangeTime(changeKey);
  return {
    itemId: parseItemKey(sk),
    url: page.url,
    title: page.title ?? page.url,
    tags: page.tags ?? "",
    state: unread === undefined ? "1" : "0",
    applicationId: page.app ?? "",
    refId: page.ref,
    formerApplications: page.former,
    number: itemNumber,
    progress: page.progress,
    continues: page.continues,
    timeOfContent: page.content,
    isDeleted,
    trashedState: trash,
    hasHighlights: marked,
    highlightsToldAt: page.told,
    timeAdded: page.added ?? timeUpdated,
    timeUpdated,
    changeKey,
  };
}
