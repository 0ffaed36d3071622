// SPDX-License-Identifier: MIT

import { type Condition, type PageFacts, toMatcher } from "./condition.ts";
import { toSite } from "./hosts.ts";
import type { Item, ItemKind, ItemState } from "./item.ts";
import { tagsIn } from "./tags.ts";

/** The conditions of a listing; all apply together. */
export type ListFilter = readonly Condition[];

/** An item as conditions see it; expensive facts are computed only if a condition needs them. */
const itemFacts = (item: Item): PageFacts => ({
  itemId: item.itemId,
  state: item.state,
  applicationId: item.applicationId,
  timeAdded: item.timeAdded,
  get tags() {
    return tagsIn(item.tags);
  },
  get site() {
    return toSite(item);
  },
});

/** The state of the items that a filter shows; undefined if it shows both. */
export const wantedState = (filter: ListFilter): ItemState | undefined =>
  filter.flatMap((each) => (each.kind === "state" ? [each.state] : []))[0];

const findApplication = (filter: ListFilter): string | undefined =>
  filter.flatMap((each) => (each.kind === "application" ? [each.applicationId] : []))[0];

/** The conditions that the counts of a list do not cover. */
const uncounted = (filter: ListFilter) => filter.filter(({ kind }) => kind !== "state");

/** The names of the page ends of a listing begin with it. */
export const nameList = (filter: ListFilter): string => {
  const others = uncounted(filter).filter(({ kind }) => kind !== "application");
  const name = `${wantedState(filter) ?? ""} ${findApplication(filter) ?? ""}`;
  return others.length === 0 ? name : `${name} ${JSON.stringify(others)}`;
};

/** Whether every item is shown. */
export const isUnfiltered = (filter: ListFilter): boolean => filter.length === 0;

/** Whether the counts of a list give the number of items shown. */
export const isCounted = (filter: ListFilter): boolean => uncounted(filter).length === 0;

/** The kinds of the items that are shown. */
export const listKinds = (filter: ListFilter): ItemKind[] => {
  const state = wantedState(filter);
  return state === undefined ? ["unread", "read"] : [state === "0" ? "unread" : "read"];
};

/** Whether a change, not only a deletion, may end that an item is shown. */
export const isLeftByChanges = (filter: ListFilter): boolean => filter.some(({ kind }) => kind !== "application");

/** A test of whether a filter shows an item that was not deleted. */
export function toItemMatcher(filter: ListFilter): (item: Item) => boolean {
  const meets = toMatcher({ kind: "all", conditions: filter });
  return (item) => meets(itemFacts(item));
}

/**
 * An item as a deletion after `after`; undefined if it was not deleted since then. For one application also an item that
 * another one has added again.
 */
export function toDeletion(item: Item, filter: ListFilter, after: number): Item | undefined {
  const applicationId = findApplication(filter);
  const isOwn = applicationId === undefined || item.applicationId === applicationId;
  const time = isOwn ? item.isDeleted && item.timeUpdated : item.formerApplications?.[applicationId];
  return time && time > after ? { ...item, timeUpdated: time, state: "1" } : undefined;
}

/** Whether items in the list may also be deletions, because another application has added them again. */
export const hasFormerItems = (filter: ListFilter): boolean => findApplication(filter) !== undefined;
