// SPDX-License-Identifier: MIT

import type { LocalItem } from "@reading-list/client/main.ts";
import { type Condition, type PageFacts, toMatcher } from "@reading-list/core/domain/condition.ts";
import type { Filter } from "../kit/router.ts";
import { siteOf } from "../kit/web-address.ts";
import type { Known } from "./visible-items.ts";

/** An item of this device as conditions see it. */
export const itemFacts = ({ url, tags, state, timeAdded }: LocalItem, minutesOf?: Known["minutesOf"]): PageFacts => ({
  tags,
  state: state === "read" ? "1" : "0",
  timeAdded: timeAdded.getTime() / 1000,
  site: siteOf(url),
  minutes: minutesOf?.(url),
});

/** The items that a filter leaves. */
export function filterItems(
  items: readonly LocalItem[],
  { tag, site, length, isUntagged }: Filter,
  minutesOf?: Known["minutesOf"],
): readonly LocalItem[] {
  const conditions: Condition[] = [];
  if (tag) conditions.push({ kind: "tag", tag });
  if (isUntagged) conditions.push({ kind: "untagged" });
  if (site) conditions.push({ kind: "site", site });
  if (length) conditions.push({ kind: "length", length });
  const meets = toMatcher({ kind: "all", conditions });
  return items.filter((item) => meets(itemFacts(item, minutesOf)));
}
