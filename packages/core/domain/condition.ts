// SPDX-License-Identifier: MIT

import { fold } from "./fold.ts";
import { withoutWww } from "./hosts.ts";
import type { ItemState } from "./item.ts";
import { starredTag } from "./tags.ts";

/** How long a text is: up to 5 minutes, up to 20, or more. */
export type TextLength = "short" | "medium" | "long";

/**
 * A condition on a page: the one form of every filter and search, on the service, in SQL and on a device. To add one,
 * add its kind here, and to `toSql` if a store must evaluate it.
 */
export type Condition =
  | { kind: "state"; state: ItemState }
  /** The application that first saved the page. */
  | { kind: "application"; applicationId: string }
  | { kind: "starred" }
  /** Only the tag of favourites. */
  | { kind: "untagged" }
  /** A tag in any case, with or without accents. */
  | { kind: "tag"; tag: string }
  /** A tag as it is written, for changes of the pages that have it. */
  | { kind: "exactTag"; tag: string }
  /** A host, or a domain above it. */
  | { kind: "site"; site: string }
  /** The host itself, as `toSite` has it. */
  | { kind: "host"; host: string }
  /** Unix seconds, the last one included. */
  | { kind: "added"; from: number; to: number }
  | { kind: "length"; length: TextLength }
  | { kind: "ids"; ids: readonly string[] }
  | { kind: "not"; condition: Condition }
  | { kind: "all" | "any"; conditions: readonly Condition[] };

/** Facts of a page that conditions compare. */
export interface PageFacts {
  itemId?: string | undefined;
  state: ItemState;
  applicationId?: string | undefined;
  tags: readonly string[];
  /** See `toSite`. */
  site: string;
  /** Unix seconds. */
  timeAdded: number;
  /** Minutes that the text takes to read; undefined if it is not known. */
  minutes?: number | undefined;
}

/** A tag as conditions compare it. */
export const tagKey = (tag: string): string => fold(tag).replaceAll(/\s+/g, " ");

/** The end of hosts that a condition on a site asks for, each with a dot before it. */
export const siteKey = (site: string): string => `.${withoutWww(site.toLowerCase())}`;

/** A test of whether a page meets a condition. */
export function toMatcher(condition: Condition): (page: PageFacts) => boolean {
  switch (condition.kind) {
    case "state":
      return ({ state }) => state === condition.state;
    case "application":
      return ({ applicationId }) => applicationId === condition.applicationId;
    case "starred":
      return ({ tags }) => tags.includes(starredTag);
    case "untagged":
      return ({ tags }) => tags.every((tag) => tag === starredTag);
    case "tag": {
      const key = tagKey(condition.tag);
      return ({ tags }) => tags.some((tag) => tagKey(tag) === key);
    }
    case "exactTag":
      return ({ tags }) => tags.includes(condition.tag);
    case "site": {
      const key = siteKey(condition.site);
      return ({ site }) => `.${site}`.endsWith(key);
    }
    case "host":
      return ({ site }) => site === condition.host;
    case "added":
      return ({ timeAdded }) => timeAdded >= condition.from && timeAdded <= condition.to;
    case "length":
      return ({ minutes }) => minutes !== undefined && toLength(minutes) === condition.length;
    case "ids": {
      const ids = new Set(condition.ids);
      return ({ itemId = "" }) => ids.has(itemId);
    }
    case "not": {
      const matches = toMatcher(condition.condition);
      return (page) => !matches(page);
    }
    default: {
      const matchers = condition.conditions.map(toMatcher);
      return condition.kind === "all"
        ? (page) => matchers.every((matches) => matches(page))
        : (page) => matchers.some((matches) => matches(page));
    }
  }
}

const toLength = (minutes: number): TextLength => (minutes <= 5 ? "short" : minutes <= 20 ? "medium" : "long");
