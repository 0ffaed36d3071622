// SPDX-License-Identifier: MIT

import { contains, type DomElement, findClosest, findElements, visibleText } from "../document/dom.ts";
import { isShort } from "../document/lines.ts";
import type { Rule } from "./rule.ts";

/** Removes requests to subscribe from articles: a form with a field for an e-mail address, and the short texts around it. */
export const emailForms: Rule = {
  name: "email-forms",
  *apply(body, { type }) {
    if (type !== "article") return;
    for (const field of findElements(body, "input").filter(isForEmail)) {
      const form = findClosest(field, "form");
      let box = form && isSmall(form, maxFormLength) ? form : field;
      for (let up = box.parentElement; up !== null && up !== body && isSmall(up); up = up.parentElement) box = up;
      yield box;
    }
  },
};

function isForEmail(field: DomElement): boolean {
  const name = `${field.getAttribute("name")} ${field.getAttribute("placeholder")}`;
  return field.getAttribute("type") === "email" || /mail/i.test(name);
}

const isSmall = (box: DomElement, max = maxTextLength) =>
  isShort(box, max * 4) && visibleText(box).length <= max && !contains(box, content);

const content = new Set(["h1", "article", "main", "img", "table", "pre"]);
/** Characters. */
const maxTextLength = 200;
/** With the conditions of a subscription. */
const maxFormLength = 1000;
