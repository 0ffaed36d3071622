// SPDX-License-Identifier: MIT

import { parseWebUrl } from "@reading-list/core/domain/page-fields.ts";

/** A page that another app or a link of another site wants to save. */
export interface SharedPage {
  url: string;
  title: string;
  /** An app has shared it, and no site: only an installed reader is opened by the system, without a referrer. */
  isFromApp?: boolean;
}

/** A page that the address of the reader asked to save; undefined once someone is asked, or it is saved. */
export interface SharedRef {
  current: SharedPage | undefined;
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
  return whole ? [whole] : [...new Set(linksIn(text))];
}

const linksIn = (text: string) =>
  (text.match(/https?:\/\/[^\s<>"“”„«»。、，！？；：「」（）]+/gi) ?? []).map(withoutPunctuation).filter(parseWebUrl);

/** Punctuation behind an address belongs to the sentence, and so does a bracket that the address does not open. */
function withoutPunctuation(address: string): string {
  let unopened = address.split(")").length - address.split("(").length;
  let end = address.length;
  while (/[.,;:!?'’\])}]/.test(address[end - 1] ?? "") && (address[end - 1] !== ")" || unopened-- > 0)) end--;
  return address.slice(0, end);
}

/** The page in the query of `/app/?url=&title=`; Android puts the address into `text`. */
export function sharedPageIn(query: string): SharedPage | undefined {
  const parameters = new URLSearchParams(query);
  const texts = ["url", "text", "title"].map((name) => parameters.get(name)?.trim() ?? "");
  const url = texts.flatMap((text) => (/^https?:\S+$/i.test(text) && parseWebUrl(text) ? text : linksIn(text)))[0];
  if (!url) return undefined;
  const title = parameters.get("title")?.trim() ?? "";
  return { url, title: title === url ? "" : title };
}
