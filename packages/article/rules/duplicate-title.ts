// SPDX-License-Identifier: MIT

import { elementsOf, headingNames, lettersOf, visibleText } from "../document/dom.ts";
import type { Rule } from "./rule.ts";

/**
 * Removes one of the first three headings if it repeats the title, which the view returns in a header. A heading before
 * it may be a kicker.
 */
export const duplicateTitle: Rule = {
  name: "duplicate-title",
  *apply(article, { title }) {
    const letters = lettersOf(title);
    if (letters === "") return;
    const first = elementsOf(article, headingNames).slice(0, 3);
    yield* first.filter((heading) => lettersOf(visibleText(heading)) === letters).slice(0, 1);
  },
};
