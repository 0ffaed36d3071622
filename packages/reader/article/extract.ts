import { Readability } from "@mozilla/readability";
import { type DomDocument, type DomElement, visibleText } from "../document/dom.ts";
import { mainContainer } from "../document/main-container.ts";
import type { Page } from "../document/page.ts";
import { serializeChildren } from "../document/serialize.ts";
import { amountRows } from "../rules/amount-rows.ts";
import { boilerplateLines } from "../rules/boilerplate-lines.ts";
import { consentDialogs } from "../rules/consent-dialogs.ts";
import { danglingHeadings } from "../rules/dangling-headings.ts";
import { duplicateTitle } from "../rules/duplicate-title.ts";
import { edgeLines } from "../rules/edge-lines.ts";
import { furnitureNames } from "../rules/furniture-names.ts";
import { gluedWords } from "../rules/glued-words.ts";
import { inheritedNames } from "../rules/inherited-names.ts";
import { landmarks } from "../rules/landmarks.ts";
import { lineNumbers } from "../rules/line-numbers.ts";
import { linkLines } from "../rules/link-lines.ts";
import { linkLists } from "../rules/link-lists.ts";
import { misleadingNames } from "../rules/misleading-names.ts";
import { offScreenText } from "../rules/off-screen-text.ts";
import { otherSections } from "../rules/other-sections.ts";
import { otherStories } from "../rules/other-stories.ts";
import { pictureCaptions } from "../rules/picture-captions.ts";
import { repeatedBoxes } from "../rules/repeated-boxes.ts";
import type { ArticleContext, ArticleRule, PageRule } from "../rules/rule.ts";
import { siteParts } from "../rules/site-parts.ts";
import { smallTables } from "../rules/small-tables.ts";
import { addLeads, leadsOf } from "./lead.ts";
import { contentOf, isNoArticle, missesContent, shortestArticle } from "./missed-content.ts";
import { structuredBody } from "./structured-body.ts";
import { threadArticle } from "./thread.ts";

/** Applied before Readability looks for the article. */
const pageRules: readonly PageRule[] = [
  offScreenText,
  consentDialogs,
  landmarks,
  misleadingNames,
  inheritedNames,
  smallTables,
  lineNumbers,
];
/** Applied to the main container if it is taken whole. */
const containerRules: readonly ArticleRule[] = [siteParts];
/** Applied to every article. */
const articleRules: readonly ArticleRule[] = [
  duplicateTitle,
  pictureCaptions,
  furnitureNames,
  otherSections,
  repeatedBoxes,
  boilerplateLines,
  gluedWords,
  amountRows,
];
/** Applied to the result of Readability: running text, in which lone links and lines are not content. */
const storyRules: readonly ArticleRule[] = [otherStories, linkLists, linkLines, edgeLines, danglingHeadings];

const wholeContainer = "whole-container";
const threadPosts = "thread-posts";
const lead = "lead";
const structuredData = "structured-body";
const noArticle = "no-article";
/** The names of all rules that can be left out. */
export const ruleNames: readonly string[] = [
  threadPosts,
  wholeContainer,
  lead,
  ...[...pageRules, ...containerRules, ...articleRules, ...storyRules].map(({ name }) => name),
  structuredData,
  noArticle,
];

export interface ExtractionOptions extends ArticleContext {
  /** Names of rules to skip, to measure the gain of each. */
  without?: ReadonlySet<string> | undefined;
}

/**
 * The markup of a page's main article; empty if there is none. It destroys the page's document. `readAgain` parses the
 * page once more, for the case that the main container is taken whole.
 */
export function extractArticle(page: Page, readAgain: () => DomDocument, options: ExtractionOptions): string {
  const thread = options.without?.has(threadPosts) ? undefined : threadArticle(page);
  const apply = (rules: readonly ArticleRule[], article: DomElement) => {
    for (const rule of rules) if (!options.without?.has(rule.name)) rule.apply(article, options);
  };
  if (thread !== undefined) {
    apply(articleRules, thread);
    return serializeChildren(thread, options);
  }
  const prepare = (document: DomDocument) => {
    for (const rule of pageRules) if (!options.without?.has(rule.name)) rule.apply(document);
    return document;
  };
  const document = prepare(page.document);
  const content = contentOf(document, page.type);
  const leads = options.without?.has(lead) ? [] : leadsOf(page);
  let article = readArticle(document);
  const isWhole = !options.without?.has(wholeContainer) && missesContent(article, content);
  if (isWhole) {
    article = mainContainer(prepare(readAgain()));
    apply(containerRules, article);
  }
  apply(articleRules, article);
  if (!isWhole) {
    apply(storyRules, article);
    addLeads(article, leads, page);
  }
  if (!options.without?.has(noArticle) && isNoArticle(article, page.type)) article = page.document.createElement("div");
  const markup = serializeChildren(article, options);
  if (visibleText(article).length >= shortestArticle) return markup;
  return (options.without?.has(structuredData) ? "" : structuredBody(page.structuredData)) || markup;
}

function readArticle(document: DomDocument): DomElement {
  const found = new Readability<DomElement>(document as never, {
    serializer: (node) => node as never,
    // The rules need class names; the sanitiser removes them.
    keepClasses: true,
    disableJSONLD: true,
  }).parse();
  return found?.content ?? document.createElement("div");
}
