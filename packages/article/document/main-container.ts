// SPDX-License-Identifier: MIT

import type { DomDocument, DomElement } from "./dom.ts";
import { proseLength } from "./prose.ts";

/**
 * The element that a page marks as its content: of all marked elements the smallest that contains at least 90% of the
 * prose of the largest. The body if no marked element contains 40% of the page's prose.
 */
export function mainContainer(document: DomDocument): DomElement {
  let best = document.body;
  let bestProse = 0;
  for (const element of document.body.querySelectorAll(marks)) {
    const prose = proseLength(element);
    if (prose > bestProse * (best.contains(element) ? nearlyAll : 1)) {
      best = element;
      bestProse = prose;
    }
  }
  return bestProse >= proseLength(document.body) * minShare ? best : document.body;
}

const marks =
  "main,[role=main],article,[itemprop=articleBody],#content,#main,#main-content,.main-content,.entry-content";
const nearlyAll = 0.9;
const minShare = 0.4;
