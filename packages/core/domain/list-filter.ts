// SPDX-License-Identifier: MIT

import type { Item, ItemKind, ItemState } from "./item.ts";

/** The conditions of a listing; all apply together, and one that is undefined does not. */
export interface ListFilter {
  state?: ItemState | undefined;
  /** The application that first saved the page. */
  applicationId?: string | undefined;
}

/** The names of the page ends of a listing begin with it. */
export const nameOf = ({ state, applicationId }: ListFilter): string => `${state ?? ""} ${applicationId ?? ""}`;

/** Whether every item is shown. */
export const isUnfiltered = (filter: ListFilter): boolean => Object.values(filter).every((each) => each === undefined);

/** Whether the counts of a list tell how many of its items are shown. */
export const isCounted = ({ state: _, ...others }: ListFilter): boolean => isUnfiltered(others);

/** The kinds of the items that are shown. */
export const kindsOf = ({ state }: ListFilter): ItemKind[] =>
  state === undefined ? ["unread", "read"] : [state === "0" ? "unread" : "read"];

/** Whether a change, not only a deletion, may end that an item is shown. */
export const isLeftByChanges = ({ state }: ListFilter): boolean => state !== undefined;

/** Whether a filter shows an item that was not deleted. */
export const meets = (item: Item, { state = item.state, applicationId = item.applicationId }: ListFilter): boolean =>
  item.state === state && item.applicationId === applicationId;

/**
 * An item as a deletion after `after`; undefined if it was not deleted since then. For one application also an item that
 * another one has added again.
 */
export function deletionOf(item: Item, { applicationId }: ListFilter, after: number): Item | undefined {
  const isOwn = applicationId === undefined || item.applicationId === applicationId;
  const time = isOwn ? item.isDeleted && item.timeUpdated : item.formerApplications?.[applicationId];
  return time && time > after ? { ...item, timeUpdated: time, state: "1" } : undefined;
}

/** Whether items that are in the list may be deletions, too: those that another application has added again. */
export const hasFormerItems = ({ applicationId }: ListFilter): boolean => applicationId !== undefined;
