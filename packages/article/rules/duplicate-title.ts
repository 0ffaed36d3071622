// SPDX-License-Identifier: MIT

import { findElements, headingNames, toLetters, visibleText } from "../document/dom.ts";
import type { Rule } from "./rule.ts";

/** Between a title and the name of the site. */
const siteName = / [|·—–] /;

/**
 * Removes one of the first three headings if it repeats the title, which the view returns in a header, with or without the
 * site's name. A heading before it may be a kicker.
 */
export const duplicateTitle: Rule = {
  name: "duplicate-title",
  *apply(article, { title }) {
    const letters = toLetters(title);
    if (letters === "") return;
    const first = findElements(article, headingNames).slice(0, 3);
    const isTitle = (text: string) =>
      toLetters(text) === letters || toLetters(text.split(siteName)[0] ?? "") === letters;
    yield* first.filter((heading) => isTitle(visibleText(heading))).slice(0, 1);
  },
};
