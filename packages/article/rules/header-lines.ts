// SPDX-License-Identifier: MIT

import { visibleText } from "../document/dom.ts";
import { isSentence, textLines } from "../document/lines.ts";
import { dateIn } from "../signals/date-text.ts";
import type { Rule } from "./rule.ts";

/**
 * Removes lines before the first sentence that contain only an author or the day of publication, such as "May 1, 2026 4
 * min", which the view returns beside the text. The posts of a thread have their own authors and dates.
 */
export const headerLines: Rule = {
  name: "header-lines",
  *apply(article, { authors, publishedAt, type }) {
    if (type === "thread") return;
    const day = publishedAt?.slice(0, dayLength);
    for (const line of textLines(article)) {
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
/** Characters. A longer line contains more, such as the place where the article was written. */
const maxDateLength = 32;
