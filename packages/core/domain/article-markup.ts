// SPDX-License-Identifier: MIT

/** The elements of a text view, besides `img` (docs/api.md 9.2). */
export const articleElements: readonly string[] = (
  "h1 h2 h3 h4 h5 h6 hgroup p div section article main aside nav header footer address blockquote figure figcaption " +
  "pre hr br wbr details summary ul ol li dl dt dd table caption thead tbody tfoot tr th td a abbr b bdi bdo cite " +
  "code del dfn em i ins kbd mark q s samp small strong sub sup time u var ruby rb rt rtc rp"
).split(" ");

/** The attributes of its elements; `*` stands for all of them. */
export const articleAttributes: Readonly<Record<string, string[]>> = {
  "*": ["lang", "dir"],
  a: ["href", "title"],
  abbr: ["title"],
  img: ["src", "alt"],
  ol: ["start"],
  td: ["colspan", "rowspan"],
  th: ["colspan", "rowspan"],
  time: ["datetime"],
};
