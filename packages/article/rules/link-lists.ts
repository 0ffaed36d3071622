// SPDX-License-Identifier: MIT

import { type DomElement, findElements, visibleText } from "../document/dom.ts";
import { isProse, linkDensity } from "../document/prose.ts";
import { pointer } from "./labels.ts";
import { isIntroduction } from "./linked-cards.ts";
import type { Rule } from "./rule.ts";

/**
 * Removes blocks that consist mostly of links, such as lists of related stories, and introductions to other stories.
 * On a page that lists things, the lists are the content: a block with more than 15% of the text stays unless its label
 * names other stories, and all stay if together they are more than 40% of it. A list that a heading or a colon
 * introduces stays, too, and so does a long list between paragraphs.
 */
export const linkLists: Rule = {
  name: "link-lists",
  *apply(article) {
    const length = visibleText(article).length;
    const lists: DomElement[] = [];
    for (const block of findElements(article, "ul,ol,div,section,aside,nav,dl,article")) {
      if (lists.some((list) => list.contains(block))) continue;
      if (block.localName === "article" && isIntroduction(block)) lists.push(block);
      if (findElements(block, "a").length < minLinks) continue;
      if (isIntroduced(block)) continue;
      const label = findLabel(block);
      const max = length * (label === undefined ? maxShareOfOne : maxShareOfAll);
      const namesStories = label !== undefined && !references.test(visibleText(label));
      if (visibleText(block).length <= max && linkDensity(block) > (namesStories ? partlyLinks : mostlyLinks))
        lists.push(block);
    }
    const size = lists.reduce((sum, list) => sum + visibleText(list).length, 0);
    if (size > length * maxShareOfAll) return;
    for (const list of lists) {
      const label = findLabel(list);
      if (label !== undefined) yield label;
      yield list;
    }
  },
};

const maxShareOfOne = 0.15;
const maxShareOfAll = 0.4;
const minLinks = 3;
/** Between paragraphs, a shorter list leads to other stories. */
const minItems = 5;
/** Elements between a list and the paragraph after it, such as a heading or a picture. */
const maxBetween = 3;
/** Characters. */
const maxLabelLength = 40;
const mostlyLinks = 0.75;
/** After a label such as "More stories". */
const partlyLinks = 0.3;
/** References of documentation. */
const references = /^\W*see\b/i;

/** The line before a list that says that it leads to other stories. */
function findLabel({ previousElementSibling: label }: DomElement): DomElement | undefined {
  const text = label === null ? "" : visibleText(label);
  return text.length <= maxLabelLength && pointer.test(text) ? (label ?? undefined) : undefined;
}

/** Whether a block belongs to a table or an item, or is a list after a heading or a colon, or a long one between paragraphs. */
function isIntroduced(block: DomElement): boolean {
  if (block.closest("table,dd") !== null || block.parentElement?.closest("li")) return true;
  const isList = /^(?:ul|ol|dl)$/i.test(block.localName);
  if (!isList && !isBoxOfList(block)) return false;
  let place: DomElement | null = block;
  while (place !== null && place.previousElementSibling === null) place = place.parentElement;
  const before = place?.previousElementSibling;
  if (before == null) return false;
  const introduction = visibleText(before);
  if (pointer.test(introduction)) return false;
  if (/[:：]$/.test(introduction)) return true;
  if (!isList) return false;
  if (/^h[2-6]$/i.test(before.localName)) return true;
  return isProse(before) && findElements(block, "li").length >= minItems && hasProseAfter(block);
}

function isBoxOfList(box: DomElement): boolean {
  const [list] = findElements(box, "ul,ol,dl");
  return list !== undefined && visibleText(list) === visibleText(box);
}

function hasProseAfter({ nextElementSibling: next }: DomElement, max = maxBetween): boolean {
  return next !== null && max > 0 && (isProse(next) || hasProseAfter(next, max - 1));
}
