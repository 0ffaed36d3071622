// SPDX-License-Identifier: MIT

import { allRules, type Rules } from "@reading-list/article/article/rules.ts";

/** The rules of the text view without one of them, to measure its gain. Undefined if no rule has this name. */
export function rulesWithout(name: string): Rules | undefined {
  const without = <T extends { name: string }>(rules: readonly T[]) => rules.filter((rule) => rule.name !== name);
  if (!ruleNames.includes(name)) return undefined;
  const { page, container, article, story, last } = allRules;
  return {
    page: without(page),
    container: without(container),
    article: without(article),
    story: without(story),
    last: without(last),
  };
}

export const ruleNames: readonly string[] = Object.values(allRules)
  .flat()
  .map(({ name }) => name);
