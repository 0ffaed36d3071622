// SPDX-License-Identifier: MIT

/** The elements of a text view that are not part of a line of text. */
export const blockElements: readonly string[] = (
  "h1 h2 h3 h4 h5 h6 hgroup p div section article main aside nav header footer address blockquote figure figcaption " +
  "pre hr br details summary ul ol li dl dt dd table caption thead tbody tfoot tr th td"
).split(" ");

/** Its elements for the readings of characters, which are above the line. */
export const rubyElements: readonly string[] = ["ruby", "rb", "rt", "rtc", "rp"];

/** Its elements that are part of a line. */
export const inlineElements: readonly string[] =
  "a abbr b bdi bdo cite code del dfn em i ins kbd mark q s samp small strong sub sup time u var wbr".split(" ");

/** The elements of a text view, besides `img` (docs/api.md 9.2). */
export const articleElements: readonly string[] = [...blockElements, ...inlineElements, ...rubyElements];

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

/** The elements of formulas: MathML Core without actions, notes for programs and links. */
export const mathElements: readonly string[] = (
  "math mrow mi mn mo ms mtext mspace mfrac msqrt mroot msub msup msubsup munder mover munderover mmultiscripts " +
  "mprescripts mtable mtr mtd mpadded mphantom merror mstyle"
).split(" ");

/** The attributes of formulas; `*` stands for all their elements. None is a URL, a style or a color, which a dark theme would hide. */
export const mathAttributes: Readonly<Record<string, string[]>> = {
  "*": ["dir", "displaystyle", "scriptlevel"],
  math: ["display"],
  mi: ["mathvariant"],
  mn: ["mathvariant"],
  mo: [
    "mathvariant",
    "form",
    "fence",
    "separator",
    "stretchy",
    "symmetric",
    "largeop",
    "movablelimits",
    "lspace",
    "rspace",
  ],
  mtext: ["mathvariant"],
  mspace: ["width", "height", "depth"],
  mpadded: ["width", "height", "depth", "lspace", "voffset"],
  mfrac: ["linethickness"],
  munder: ["accentunder"],
  mover: ["accent"],
  munderover: ["accent", "accentunder"],
  mtd: ["columnspan", "rowspan"],
};
