// SPDX-License-Identifier: MIT

import { toSite } from "@reading-list/core/domain/hosts.ts";

const sites = new Map<string, string>();

/** The site of an item, as people name it; empty for an invalid URL. */
export function findSite(url: string): string {
  let site = sites.get(url);
  if (site === undefined) {
    site = toSite({ url });
    sites.set(url, site);
  }
  return site;
}
