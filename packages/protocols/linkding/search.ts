// SPDX-License-Identifier: MIT

import type { Condition } from "@reading-list/core/domain/condition.ts";

/** A search as linkding's apps write it: the conditions of its `#tags` and `!keywords`, and the words that are left. */
export interface LinkdingSearch {
  conditions: Condition[];
  isUnread: boolean;
  words: string;
}

/** A tag in any case; apps that write tags without blanks have `-` in their place. */
const toTagCondition = (tag: string): Condition => ({
  kind: "any",
  conditions: [
    { kind: "tag", tag },
    { kind: "tag", tag: tag.replaceAll("-", " ") },
  ],
});

/** A quotation, or anything up to a blank. */
const partForm = /-?"[^"]*"?|\S+/g;

/** Parses a search. Ignores keywords that linkding does not support either. */
export function readSearch(text: string): LinkdingSearch {
  const conditions: Condition[] = [];
  const keywords: string[] = [];
  const words: string[] = [];
  for (const [part] of text.matchAll(partForm)) {
    if (/^#./.test(part)) conditions.push(toTagCondition(part.slice(1)));
    else if (/^![a-z]/i.test(part)) keywords.push(part.slice(1).toLowerCase());
    else words.push(part);
  }
  if (keywords.includes("untagged")) conditions.push({ kind: "untagged" });
  return { conditions, isUnread: keywords.includes("unread"), words: words.join(" ") };
}
