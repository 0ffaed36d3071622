// SPDX-License-Identifier: MIT

const sites = new Map<string, string>();

/** The site of an item, as people name it; empty for an invalid URL. */
export function siteOf(url: string): string {
  let site = sites.get(url);
  if (site === undefined) {
    site = URL.parse(url)?.hostname.replace(/^www\./, "") ?? "";
    sites.set(url, site);
  }
  return site;
}
