// SPDX-License-Identifier: MIT

import type { LocalItem } from "@reading-list/client/main.ts";
import { siteOf } from "../kit/web-address.ts";
import { type Count, mostFrequentFirst } from "./visible-items.ts";

/** The sites of items; as the filter of a site, one has the pages of the domains below it, too. */
export function countSites(items: readonly LocalItem[]): Count[] {
  const pages = new Map<string, number>();
  for (const item of items) {
    const site = siteOf(item.url);
    pages.set(site, (pages.get(site) ?? 0) + 1);
  }
  const counts = new Map<string, number>();
  for (const [site, number] of pages) {
    const labels = site.split(".");
    for (const at of labels.keys()) {
      const domain = labels.slice(at).join(".");
      if (pages.has(domain)) counts.set(domain, (counts.get(domain) ?? 0) + number);
    }
  }
  return mostFrequentFirst(counts);
}
