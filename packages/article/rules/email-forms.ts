// SPDX-License-Identifier: MIT

import { contains, type DomElement, findClosest, findElements, visibleText } from "../document/dom.ts";
import { isSentence, isShort, textLines } from "../document/lines.ts";
import { subscribes } from "./labels.ts";
import type { Rule } from "./rule.ts";

/**
 * Removes requests to subscribe, to become a member or to donate from articles: a form with a field for an e-mail address, or a
 * button with such a label, and the short texts around it.
 */
export const emailForms: Rule = {
  name: "email-forms",
  *apply(body, { type }) {
    for (const field of findElements(body, "input").filter(isForEmail)) {
      const form = findClosest(field, "form");
      const box = form && isSmall(form, maxFormLength) ? form : field;
      const request = climb(box, body, (around) => (type === "article" ? isSmall(around) : isRequest(around)));
      // On other pages, a field may be part of a form that is the content.
      if (type === "article" || isShownRequest(request)) yield request;
    }
    if (type !== "article") return;
    for (const button of findElements(body, "a,button")) {
      if (
        !isShort(button, maxButtonLength) ||
        !subscribes.button.test(visibleText(button)) ||
        findClosest(button, "p,li,h1,h2,h3,table,nav") !== null
      )
        continue;
      yield climb(button, body, isRequest);
    }
  },
};

/** The largest box around an element whose boxes all pass a test. */
function climb(element: DomElement, body: DomElement, passes: (box: DomElement) => boolean): DomElement {
  let box = element;
  for (let up = box.parentElement; up !== null && up !== body && passes(up); up = up.parentElement) box = up;
  return box;
}

function isForEmail(field: DomElement): boolean {
  const name = `${field.getAttribute("name")} ${field.getAttribute("placeholder")}`;
  return field.getAttribute("type") === "email" || /mail/i.test(name);
}

const isSmall = (box: DomElement, max = maxTextLength) =>
  isShort(box, max * 4) && visibleText(box).length <= max && !contains(box, content);

/** Whether a box only asks: each of its sentences is about a subscription or support. */
function isRequest(box: DomElement): boolean {
  if (!isShort(box, maxRequestLength) || contains(box, content) || contains(box, "ul,ol,dl")) return false;
  return textLines(box).every((line) => !isSentence(line) || subscribes.sentence.test(visibleText(line)));
}

/** Whether a box has one field, and says that it asks for a subscription. */
const isShownRequest = (box: DomElement) =>
  subscribes.sentence.test(visibleText(box)) && findElements(box, "input,select,textarea").length <= maxFields;

const maxFields = 2;
const content = new Set(["h1", "article", "main", "img", "table", "pre"]);
/** Characters. */
const maxTextLength = 200;
const maxButtonLength = 40;
const maxRequestLength = 600;
/** With the conditions of a subscription. */
const maxFormLength = 1000;
