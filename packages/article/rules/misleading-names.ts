// SPDX-License-Identifier: MIT

import {
  closestThat,
  contains,
  type DomElement,
  elementsWith,
  findElements,
  hasText,
  headingNames,
  isAlone,
  visibleText,
} from "../document/dom.ts";
import { readClass, readNameWords, removeNames } from "../document/element-names.ts";
import { isAmongParagraphs } from "../document/lines.ts";
import { isProse, linkDensity, proseLength } from "../document/prose.ts";
import type { Rule } from "./rule.ts";

/**
 * Removes class and id of headings and of boxes that hold content, because Readability and other rules remove elements by name: a box with
 * a heading, a code block, two paragraphs or one of sentences stays, with any name, unless most of it is links. The names of comments,
 * side bars, footers and cookie notices stay.
 */
export const misleadingNames: Rule = {
  name: "misleading-names",
  apply(body) {
    for (const heading of findElements(body, headingNames)) {
      removeNames(heading);
      unwrap(heading);
      // The header of a post or a review.
      const header = heading.closest("header");
      if (header !== null && header.closest("article,main") !== null) removeNames(header);
    }
    for (const element of elementsWith(body, "class"))
      if (relatedToHeading.test(readClass(element))) removeNames(element);
    for (const box of findElements(body, "div,section,p"))
      if (notesName.test(classAndId(box)) && isAmongParagraphs(box)) removeNames(box);
    for (const list of findElements(body, "ul,ol,dl")) if (isListBetweenParagraphs(list)) removeNames(list);
    const named = findElements(body, boxes).filter((box) => removable.test(classAndId(box)));
    const isBuiltOfWidgets = holdMostProse(named.filter(isWidget), body);
    for (const element of named) {
      const isPart = isBuiltOfWidgets && isWidget(element);
      const isGallery = galleryName.test(classAndId(element)) && isBesideText(element);
      if (!reliable.test(classAndId(element)) && !isGallery && (isPart || holdsContent(element))) removeNames(element);
    }
  },
};

/** Whether a list without links is between paragraphs, as an author puts it there. */
const isListBetweenParagraphs = (list: DomElement) =>
  classAndId(list) !== " " &&
  [list.previousElementSibling, list.nextElementSibling].every((one) => one !== null && isParagraph(one)) &&
  !contains(list, controls);

const notesName = /comment|foot|repl|respond|remark/i;
const galleryName = /gallery|legends|slideshow|carousel/i;

/** Whether a box is among the paragraphs of an article: its captions may be longer than the article. */
function isBesideText(box: DomElement): boolean {
  const isText = (around: DomElement) => [...around.children].filter(isParagraph).length >= minParagraphs;
  return closestThat(box.parentElement, isText) !== null;
}

const isParagraph = (element: DomElement) => element.localName === "p" && proseLength(element) >= minProse;
const minParagraphs = 3;

/** Takes a heading out of the boxes that hold nothing else. */
function unwrap(heading: DomElement): void {
  for (let box = heading.parentElement; box?.localName === "div" && isAlone(heading); box = heading.parentElement) {
    // Left behind with an empty heading, when another one has left the box around both.
    if (box.parentElement === null) return;
    box.replaceWith(heading);
  }
}

const classAndId = (element: DomElement) => `${readClass(element)} ${element.id}`;
const isWidget = (element: DomElement) => /widget/i.test(readClass(element));

/** Page builders call each paragraph, list and image of an article a widget. */
function holdMostProse(widgets: readonly DomElement[], body: DomElement): boolean {
  const inner = widgets.filter((widget) => widget.querySelector("[class*=widget i]") === null);
  return inner.reduce((sum, widget) => sum + proseLength(widget), 0) > proseLength(body) * half;
}

/** Writerside's name of all that follows a heading, such as `h2-related`. */
const relatedToHeading = /(?:^|\s)h[1-6]-related(?:\s|$)/;
const boxes = "div,section,article,ul,ol,dl,p,details,main";
const removable =
  /-ad-|banner|breadcrumb|combx|community|contact|cover-wrap|extra|header|legends|menu|meta|popup|promo|related|scroll|share|social|sponsor|supplemental|tags|widget|media|hidden|hid|outbrain|shopping|pager|pagination|rss|newsletter|signup|optin|cta|trending|readmore|\bads?\b|advert|popular|subscribe|form|button|dropdown|feedback|carousel|gallery|slideshow|bio|tooltip|sort/i;
const reliable =
  /comment|disqus|respond|repl(?:y|ies)|side-?bar|foot|cookie|consent|gdpr|\bnav|modal|popup|lightbox|login|filter|(?:^|[\s_:-])hidden(?:$|\s|-(?:x?[sml]|phone|mobile|tablet|desktop|print))|\bads?\b|advert|sponsor|outbrain/i;

const advertises = /(?:^|[\s_-])(?:cta|promos?|promotion|signup|optin)(?:[\s_-]|$)/i;
const promotes = /cta|promo|signup|optin|newsletter|subscribe|social|banner|sponsor|scroll|meta|bio|tooltip/i;
/** Characters. */
const minProse = 25;
const minProseOfAdvertisement = 200;
const mostlyLinks = 0.5;
const half = 0.5;

function holdsContent(element: DomElement): boolean {
  if (readNameWords(element).includes("menu")) return isListOfText(element);
  if (contains(element, "pre")) return true;
  const hasHeading = contains(element, headingNames);
  if (!hasHeading && findElements(element, "p").filter((p) => proseLength(p) >= minProse).length < 2)
    // An `article` of one paragraph introduces another story.
    return element.localName !== "article" && !promotes.test(classAndId(element)) && isProse(element);
  const min = advertises.test(classAndId(element)) ? minProseOfAdvertisement : minProse;
  return (proseLength(element) > min && linkDensity(element) < mostlyLinks) || isSectionOfLines(element);
}

/** A heading and short lines below it, such as names or measures: a box about other pages would have a link or a button. */
function isSectionOfLines(element: DomElement): boolean {
  if (contains(element, controls) || promotes.test(classAndId(element))) return false;
  const [heading] = findElements(element, headingNames);
  return heading !== undefined && visibleText(element).length - visibleText(heading).length >= minLines;
}

const controls = new Set(["a", "button", "input", "select", "img", "iframe", "form"]);
/** Characters. */
const minLines = 10;

/** A list of dishes. */
function isListOfText(element: DomElement): boolean {
  return contains(element, "li") && !contains(element, "a,button,input") && hasText(element);
}
