// SPDX-License-Identifier: MIT

import type { DomDocument, DomElement } from "./dom.ts";
import {
  closestThat,
  contains,
  elementsWith,
  findElements,
  hasText,
  listChildren,
  moveChildren,
  visibleText,
} from "./dom.ts";
import { isNamed, readClass, removeNames } from "./element-names.ts";
import { linkDensity, proseLength } from "./prose.ts";

/** The class of a box of pictures. */
export const galleryName = /galler|slide|carousel|swiper|lightbox|popup|masonry|mosaic/i;

/**
 * Removes invisible elements. An element with more than 50% of the page's text or 60% of its prose is kept: some pages hide
 * their article until a script shows it. So are a collapsed panel, which opens on a click, and the pictures of a slide show.
 */
export function removeHidden(document: DomDocument): void {
  unwrapScriptlessArticle(document);
  for (const element of findElements(document.body, neverShown))
    if (!element.hasAttribute("open") || element.localName !== "dialog") element.remove();
  const maxText = visibleText(document.body).length * keptText;
  const maxProse = proseLength(document.body) * keptProse;
  const controls = elementsWith(document.body, "aria-controls,data-bs-target,data-target");
  const opened = new Set(controls.flatMap(controlledBy));
  const hidden = elementsWith(document.body, "hidden,aria-hidden,style").filter(isHidden);
  const answers = new Set(hidden.filter(isAnswer));
  for (const element of hidden) {
    if (answers.has(element) || isForEyes(element) || isCollapsedPanel(element, opened) || isSlide(element))
      show(element);
    else if (visibleText(element).length <= maxText && proseLength(element) <= maxProse) element.remove();
  }
  // Hidden by a style sheet, which this reader does not read.
  for (const element of elementsWith(document.body, "class"))
    if (/hidden/i.test(readClass(element)) && isCollapsedPanel(element, opened)) removeNames(element);
  showPanelHeadings(document);
}

/** The heading of a panel is often a button, which no view writes. */
function showPanelHeadings(document: DomDocument): void {
  const panels = new Map(elementsWith(document.body, "id").map((element) => [element.id, element]));
  for (const button of findElements(document.body, "button")) {
    if (!mayOpenPanel(button)) continue;
    const heading = button.closest("h2,h3,h4,h5,h6,dt,summary");
    if (heading !== null) {
      for (const panel of controlledBy(button).flatMap((id) => panels.get(id) ?? [])) removeNames(panel);
      button.replaceWith(...listChildren(button));
    } else if (button.closest(neverPanel) === null && visibleText(button).length >= minPanelHeadingLength) {
      const next = button.nextElementSibling ?? button.parentElement?.nextElementSibling;
      if (!next) continue;
      const isControlled = controlledBy(button).includes(next.id);
      // One panel of an accordion may be a list of short lines, and the next one prose.
      const isText = isControlled && isAccordion(button) && hasText(next) && linkDensity(next) === 0;
      if (!isText && proseLength(next) < minPanelProse) continue;
      if (!isControlled && !isNamed(next, panelNames)) continue;
      button.replaceWith(moveChildren(button, "h4"));
    }
  }
}

/** Whether a button may open the panel below its heading. */
export const mayOpenPanel = (button: DomElement) =>
  panelAttributes.some((name) => button.hasAttribute(name)) || isAccordion(button);
const isAccordion = (button: DomElement) => /accordion/i.test(readClass(button));
const panelAttributes = ["aria-expanded", "aria-controls", "data-bs-target", "data-target"];
const minPanelHeadingLength = 8;

/** The ids of the elements that a control shows and hides. */
function controlledBy(control: DomElement): string[] {
  const selectors = ["data-bs-target", "data-target"].map((name) => control.getAttribute(name) ?? "");
  return [
    ...(control.getAttribute("aria-controls") ?? "").split(/\s+/),
    ...selectors.map((id) => id.replace(/^#/, "")),
  ];
}

/**
 * Whether an element is the content of a tab, accordion or list of questions. Menus collapse too, but are not prose.
 */
function isCollapsedPanel(element: DomElement, opened: ReadonlySet<string>): boolean {
  const isPanel =
    element.getAttribute("role") === "tabpanel" ||
    (element.id !== "" && opened.has(element.id)) ||
    element.closest("details") !== null ||
    element.getAttribute("hidden") === "until-found" ||
    isNamed(element, panelNames) ||
    /^h[2-6]$/.test(element.previousElementSibling?.localName ?? "") ||
    (element.parentElement !== null && isNamed(element.parentElement, panelNames));
  if (!isPanel || element.closest(neverPanel) !== null) return false;
  return element.localName === "dd" || proseLength(element) >= minPanelProse || contains(element, "pre");
}

/** Whether a paragraph is only hidden from screen readers, such as a price that its card has in a label, too. */
const isForEyes = (element: DomElement) =>
  element.localName === "p" &&
  !element.hasAttribute("hidden") &&
  !hidingStyle.test(element.getAttribute("style") ?? "") &&
  /\p{L}|\d/u.test(element.textContent) &&
  element.closest(neverPanel) === null;

/** Whether a hidden element is prose below a short line, as one in the box before or after its own is: an accordion without a name. */
function isAnswer(element: DomElement): boolean {
  if (!isBelowQuestion(element) || proseLength(element) < minPanelProse || element.closest(neverPanel) !== null)
    return false;
  const item = element.parentElement;
  const answersBeside = [item?.previousElementSibling, item?.nextElementSibling].filter(
    (other) => other?.localName === item?.localName && other?.children.length === item?.children.length,
  );
  return answersBeside.some((other) =>
    [...(other?.children ?? [])].some((one) => isHidden(one) && isBelowQuestion(one)),
  );
}

function isBelowQuestion({ previousElementSibling: question }: DomElement): boolean {
  if (question === null || contains(question, "a,img,input")) return false;
  const { length } = visibleText(question);
  return length >= minPanelHeadingLength && length <= maxQuestionLength;
}

/** Characters. */
const maxQuestionLength = 150;

/** Whether an element is a picture of a slide show, which shows one after the other, and no copy that its script makes. */
function isSlide(element: DomElement): boolean {
  if (
    !contains(element, "img,amp-img") ||
    contains(element, "a,input,form") ||
    /clone|duplicate/i.test(readClass(element))
  )
    return false;
  const others = [element.previousElementSibling, element.nextElementSibling];
  if (!others.some((other) => other?.localName === element.localName && contains(other, "img,amp-img"))) return false;
  return (
    closestThat(element.parentElement, (box) => box.localName === "figure" || galleryName.test(readClass(box))) !== null
  );
}

/** Removes the marks by which Readability would remove the element. */
export function show(element: DomElement): void {
  element.removeAttribute("hidden");
  element.removeAttribute("aria-hidden");
  if (hidingStyle.test(element.getAttribute("style") ?? "")) element.removeAttribute("style");
}

// biome-ignore format: a line holds many short names
const panelNames = new Set([
  "accordion", "collapse", "collapsible", "collapsed", "collapsable", "faq", "faqs", "tab", "tabs", "tabpanel",
  "panel", "toggle", "expand", "expandable", "answer", "more", "truncated",
]);
const neverPanel = "nav,header,footer,form,dialog,[role=dialog],[role=navigation],[role=menu]";
const minPanelProse = 25;

/**
 * Unwraps a `<noscript>` that contains most of the page's prose, or all of it on a page without text: the article of an
 * application without its scripts.
 */
function unwrapScriptlessArticle(document: DomDocument): void {
  let elsewhere: number | undefined;
  for (const element of findElements(document.body, "noscript")) {
    const prose = [...element.children].reduce((sum, child) => sum + proseLength(child), 0);
    if (prose === 0) continue;
    elsewhere ??= proseLength(document.body);
    const isOnly = elsewhere === 0 && !/java ?script/i.test(element.textContent);
    if (prose > elsewhere && (prose > minScriptlessProse || isOnly)) element.replaceWith(...listChildren(element));
  }
}

/** Whether the element itself is hidden by attribute or style. */
export function isHidden(element: DomElement): boolean {
  return (
    element.hasAttribute("hidden") ||
    element.getAttribute("aria-hidden") === "true" ||
    hidingStyle.test(element.getAttribute("style") ?? "")
  );
}

/** Whether neither the element nor any ancestor is hidden. */
export const isShown = (element: DomElement): boolean => closestThat(element, isHidden) === null;

const neverShown = "script,noscript,template,dialog,datalist,map,area";
const hidingStyle = /(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*hidden)/i;
const minScriptlessProse = 400;
const keptText = 0.5;
const keptProse = 0.6;
