// SPDX-License-Identifier: MIT

import { elementsOf, headingNames, lettersOf, visibleText } from "../document/dom.ts";
import { isSentence, linesOf } from "../document/lines.ts";
import { dateIn } from "../signals/date-text.ts";
import type { Rule } from "./rule.ts";

/**
 * Removes what the view returns beside the text: one of the first three headings if it repeats the title (a heading before it
 * may be a kicker), and lines before the first sentence that tell only the authors or the day of publication, such as "May 1, 2026 4 min".
 */
export const repeatedHeader: Rule = {
  name: "repeated-header",
  *apply(article, { title, authors, publishedAt, type }) {
    const letters = lettersOf(title);
    const first = elementsOf(article, headingNames).slice(0, 3);
    yield* first.filter((heading) => letters !== "" && lettersOf(visibleText(heading)) === letters).slice(0, 1);
    const day = publishedAt?.slice(0, dayLength);
    // The posts of a thread have authors and dates of their own.
    if (type === "thread") return;
    for (const line of linesOf(article)) {
      const text = visibleText(line);
      const rest = authors.reduce((left, author) => left.replace(author, ""), text);
      const isDate = rest.length <= maxDateLength && day !== undefined && dateIn(rest)?.slice(0, dayLength) === day;
      if (isDate || (rest !== text && onlyBy.test(rest))) yield line;
      else if (isSentence(line)) return;
    }
  },
};

const onlyBy = /^(?:(?:written|posted|published) )?(?:by|von|par|por|di|door)?\W*$/i;
/** `YYYY-MM-DD`. */
const dayLength = 10;
/** Characters. A longer line tells more, such as where the article was written. */
const maxDateLength = 32;
