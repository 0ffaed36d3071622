// SPDX-License-Identifier: MIT

import { siteOf as siteOfPage } from "@reading-list/core/domain/hosts.ts";

const sites = new Map<string, string>();

/** The site of an item, as people name it; empty for an invalid URL. */
export function findSite(url: string): string {
  let site = sites.get(url);
  if (site === undefined) {
    site = siteOfPage({ url });
    sites.set(url, site);
  }
  return site;
}
