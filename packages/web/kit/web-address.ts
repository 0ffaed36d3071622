// SPDX-License-Identifier: MIT

import { siteOf as siteOfPage } from "@reading-list/core/domain/hosts.ts";
import { parseWebUrl } from "@reading-list/core/domain/page-fields.ts";

/** A page that another app or a link of another site wants to save. */
export interface SharedPage {
  url: string;
  title: string;
  /** An app has shared it, and no site: only an installed reader is opened by the system, without a referrer. */
  isFromApp?: boolean;
}

/** The http(s) address in a text that was typed or pasted; its scheme may be missing. */
export function webAddressIn(text: string): string | undefined {
  const typed = text.trim();
  if (!typed || /\s/.test(typed)) return undefined;
  if (parseWebUrl(typed)) return typed;
  // A hostname with a dot or a port, so that a word does not count as an address.
  // bounded: a text that the user of this browser has typed or pasted
  return /^[^/?#:@]+(\.[^/?#:@]+|:\d+)([/?#]|$)/.test(typed) && parseWebUrl(`https://${typed}`)
    ? `https://${typed}`
    : undefined;
}

/** The http(s) addresses in a text: the text itself, or all that begin with `http://` or `https://` in it. */
export function webAddressesIn(text: string): string[] {
  const whole = webAddressIn(text);
  if (whole) return [whole];
  const found = text.match(/https?:\/\/[^\s<>"']+/gi) ?? [];
  // Punctuation behind an address belongs to the sentence.
  // bounded: a text that the user of this browser has typed or pasted
  const addresses = found.map((address) => address.replace(/[.,;:!?\])}]+$/, "")).filter(parseWebUrl);
  return [...new Set(addresses)];
}

/** The page in the query of `/app/?url=&title=`; Android puts the address into `text`. */
export function sharedPageIn(query: string): SharedPage | undefined {
  const parameters = new URLSearchParams(query);
  const texts = ["url", "text", "title"].map((name) => parameters.get(name) ?? "");
  const url = texts.flatMap((text) => text.split(/\s+/)).find((word) => /^https?:\/\//i.test(word));
  if (!url) return undefined;
  const title = parameters.get("title")?.trim() ?? "";
  return { url, title: title === url ? "" : title };
}

const sites = new Map<string, string>();

/** The site of an item, as people name it; empty for an invalid URL. */
export function siteOf(url: string): string {
  let site = sites.get(url);
  if (site === undefined) {
    site = siteOfPage({ url });
    sites.set(url, site);
  }
  return site;
}
