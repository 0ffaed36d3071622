import type { Item } from "@reading-list/core/domain/item.ts";
import { deletionsKeptSeconds } from "@reading-list/core/ports.ts";
import { deletedPrefix, itemIdOfKey, itemKey, timeOfChangeKey } from "./keys.ts";
import type { StoredUser } from "./users.ts";

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

/** The kind of an item in the counts of its user. */
export const kindOf = ({ isDeleted, state }: Pick<Item, "isDeleted" | "state">): keyof StoredUser["newest"] =>
  isDeleted ? "deleted" : state === "0" ? "unread" : "read";

/** The attribute `changed` of an item, its version for optimistic locking. */
export const storedKeyOf = ({ isDeleted, changeKey }: Item) => (isDeleted ? deletedPrefix + changeKey : changeKey);

export function recordOf(username: string, item: Item) {
  const {
    formerApplications,
    itemId,
    number,
    url,
    title,
    tags,
    state,
    applicationId,
    refId,
    isDeleted,
    timeAdded,
    timeUpdated,
    changeKey,
    trashedState,
    progress,
    continues,
    timeOfContent,
    hasHighlights,
    highlightsToldAt,
  } = item;
  const page: StoredPage = {
    url,
    title: title === url ? undefined : title,
    tags: tags || undefined,
    app: applicationId,
    ref: refId,
    added: timeAdded,
    former: formerApplications && Object.keys(formerApplications).length > 0 ? formerApplications : undefined,
    ...{ progress, continues, content: timeOfContent, told: highlightsToldAt },
  };
  return {
    ...itemKey(username, itemId),
    changed: storedKeyOf(item),
    ...(!isDeleted && state === "0" && { unread: changeKey }),
    ...(number !== undefined && { itemNumber: number }),
    page: JSON.stringify(page),
    ...(trashedState !== undefined && { trash: trashedState }),
    ...(hasHighlights && { marked: true }),
    ...(isDeleted && { expires: timeUpdated + deletionsKeptSeconds }),
  };
}

export function itemOf(record: object): Item {
  const { sk, changed, unread, itemNumber, page, trash, marked } = record as ItemRecord;
  const {
    url,
    title = url,
    tags = "",
    app = "",
    ref,
    added,
    former,
    progress,
    continues,
    content,
    told,
  }: Partial<StoredPage> & { url: string } = JSON.parse(page);
  const isDeleted = changed.startsWith(deletedPrefix);
  const changeKey = isDeleted ? changed.slice(deletedPrefix.length) : changed;
  const timeUpdated = timeOfChangeKey(changeKey);
  return {
    itemId: itemIdOfKey(sk),
    url,
    title,
    tags,
    state: unread === undefined ? "1" : "0",
    applicationId: app,
    refId: ref,
    formerApplications: former,
    number: itemNumber,
    progress,
    continues,
    isDeleted,
    trashedState: trash,
    timeOfContent: content,
    hasHighlights: marked,
    highlightsToldAt: told,
    timeAdded: added ?? timeUpdated,
    timeUpdated,
    changeKey,
  };
}
