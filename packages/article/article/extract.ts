// SPDX-License-Identifier: MIT

import type { Page } from "../document/page.ts";
import { serializeChildren } from "../document/serialize.ts";
import { applyRules, cleanArticle, type RuleContext } from "../rules/rule.ts";
import { addBibliographies, findBibliographies } from "./bibliography.ts";
import { chooseArticle } from "./choose-article.ts";
import { addIntroduction, findIntroduction } from "./introduction.ts";
import type { Rules } from "./rules.ts";

/** The main article of a page. */
export interface ExtractedArticle {
  /** Empty if there is no article. */
  markup: string;
  /** Whether the page has the text only in its structured data. */
  isDeclaredText: boolean;
}

/** The main article of a page. It destroys the page's document. */
export function extractArticle(
  page: Page,
  { rules, ...options }: Omit<RuleContext, "type"> & { rules: Rules },
): ExtractedArticle {
  const context = { ...options, type: page.type };
  const introduction = findIntroduction(page, options.title, options.authors);
  const bibliographies = findBibliographies(page.document.body);
  const { article, by } = chooseArticle(page, () => applyRules(rules.page, page.document.body, context));
  if (by === "found") addIntroduction(article, introduction);
  if (by !== "thread" && by !== "text") addBibliographies(article, bibliographies);
  const isWhole = by === "container" || by === "declared";
  const isStory = by === "found" || by === "declared";
  const { container, article: every, story, last } = rules;
  cleanArticle([...(isWhole ? container : []), ...every, ...(isStory ? story : []), ...last], article, context);
  return { markup: serializeChildren(article, context), isDeclaredText: by === "text" };
}
