// SPDX-License-Identifier: MIT

import { contains, type DomElement, findClosest, findElements, moveChildren, visibleText } from "../document/dom.ts";
import { isShort } from "../document/lines.ts";
import { linkDensity } from "../document/prose.ts";
import { keyPointsLabel } from "./labels.ts";
import type { Rule } from "./rule.ts";

/** Marks the box of the key points. `lost-content.ts` puts it back if Readability loses it. */
export const pointsAttribute = "data-points";

/**
 * Marks the box with the points of an article, which has a label and a list of sentences, and makes it a plain one: beside the
 * text or in its header, Readability would remove it.
 */
export const keyPoints: Rule = {
  name: "key-points",
  apply(body) {
    for (const list of findElements(body, "ul,ol")) {
      const label = findLabel(list);
      if (label === undefined || !hasPoints(list)) continue;
      let box = list;
      const max = visibleText(list).length + visibleText(label).length + maxRest;
      for (let up = list.parentElement; up !== null && boxNames.has(up.localName); up = up.parentElement) {
        if (!isShort(up, max) || contains(up, "h1,input,img")) break;
        box = up;
      }
      if (!box.contains(label)) continue;
      const plain = moveChildren(box, "div");
      plain.setAttribute(pointsAttribute, "");
      box.replaceWith(plain);
    }
  },
};

/** Characters of a box besides its label and its list. */
const maxRest = 20;
const maxLabelLength = 40;
const boxNames = new Set(["div", "section", "aside"]);

/** The label directly before a list, or before the box around it. */
function findLabel(list: DomElement): DomElement | undefined {
  let place = list;
  while (
    place.previousElementSibling === null &&
    place.parentElement !== null &&
    boxNames.has(place.parentElement.localName)
  )
    place = place.parentElement;
  const label = place.previousElementSibling;
  if (label === null || !isShort(label, maxLabelLength)) return undefined;
  return keyPointsLabel.test(visibleText(label)) ? label : undefined;
}

/** Whether a list has two sentences or more, with few links. */
const hasPoints = (list: DomElement) =>
  list.children.length >= 2 &&
  visibleText(list).length >= list.children.length * minPoint &&
  linkDensity(list) < fewLinks &&
  findClosest(list, "nav,footer,form,dialog") === null;

/** Characters, on average. */
const minPoint = 15;
const fewLinks = 0.5;
