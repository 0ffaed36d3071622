import { Readability } from "@mozilla/readability";
import { type DomDocument, type DomElement, visibleText } from "../document/dom.ts";
import { mainContainer } from "../document/main-container.ts";
import type { Page } from "../document/page.ts";
import type { PageType } from "../document/page-type.ts";
import { proseLength } from "../document/prose.ts";
import { serializeChildren } from "../document/serialize.ts";
import { amountRows } from "../rules/amount-rows.ts";
import { boilerplateLines } from "../rules/boilerplate-lines.ts";
import { consentDialogs } from "../rules/consent-dialogs.ts";
import { duplicateTitle } from "../rules/duplicate-title.ts";
import { edgeLines } from "../rules/edge-lines.ts";
import { furnitureNames } from "../rules/furniture-names.ts";
import { inheritedNames } from "../rules/inherited-names.ts";
import { landmarks } from "../rules/landmarks.ts";
import { linkLines } from "../rules/link-lines.ts";
import { linkLists } from "../rules/link-lists.ts";
import { misleadingNames } from "../rules/misleading-names.ts";
import { pictureCaptions } from "../rules/picture-captions.ts";
import type { ArticleContext, ArticleRule, PageRule } from "../rules/rule.ts";
import { siteParts } from "../rules/site-parts.ts";
import { addLeads, leadsOf } from "./lead.ts";
import { structuredBody } from "./structured-body.ts";
import { threadArticle } from "./thread.ts";

/** Applied before Readability looks for the article. */
const pageRules: readonly PageRule[] = [consentDialogs, landmarks, misleadingNames, inheritedNames];
/** Applied to the main container if it is taken whole. */
const containerRules: readonly ArticleRule[] = [siteParts];
/** Applied to every article. */
const articleRules: readonly ArticleRule[] = [
  duplicateTitle,
  pictureCaptions,
  furnitureNames,
  boilerplateLines,
  amountRows,
];
/** Applied to the result of Readability: running text, in which lone links and lines are not content. */
const storyRules: readonly ArticleRule[] = [linkLists, linkLines, edgeLines];

const wholeContainer = "whole-container";
const threadPosts = "thread-posts";
const lead = "lead";
const structuredData = "structured-body";
/** Characters. If the article is shorter, the text in the page's structured data is taken. */
const shortestArticle = 200;

/** The names of all rules that can be left out. */
export const ruleNames: readonly string[] = [
  threadPosts,
  wholeContainer,
  lead,
  ...[...pageRules, ...containerRules, ...articleRules, ...storyRules].map(({ name }) => name),
  structuredData,
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
  const enough = options.without?.has(wholeContainer) ? 0 : proseExpected(document, page.type);
  const leads = options.without?.has(lead) ? [] : leadsOf(page);
  const items = itemsOf(mainContainer(document));
  let article = readArticle(document);
  const missesLists = page.type === "other" && items >= fewestItems && itemsOf(article) < items * leastShareOfItems;
  const isWhole = enough > 0 && (proseLength(article) < enough || missesLists);
  if (isWhole) {
    article = mainContainer(prepare(readAgain()));
    apply(containerRules, article);
  }
  apply(articleRules, article);
  if (!isWhole) {
    apply(storyRules, article);
    addLeads(article, leads, page);
  }
  const markup = serializeChildren(article, options);
  if (visibleText(article).length >= shortestArticle) return markup;
  return (options.without?.has(structuredData) ? "" : structuredBody(page.structuredData)) || markup;
}

/**
 * The least prose that an article of this page must have, in characters; if Readability finds less, it has missed the
 * page's content. On a declared article, Readability leaves out comments and other stories, so the limit is low. On other
 * pages (threads, documentation, services, products) it often leaves out content.
 */
function proseExpected(document: DomDocument, type: PageType): number {
  const share = type === "article" ? leastOfDeclaredArticle : leastOfOtherPage;
  const main = mainContainer(document);
  const comments = type === "thread" ? 0 : commentsLength(main);
  return (proseLength(main) - comments) * share;
}

/** List items, table rows and code blocks without links. Readability often drops lists and tables of short texts. */
function itemsOf(element: DomElement): number {
  return [...element.querySelectorAll("li,tr,dt,pre")].filter(
    (item) =>
      item.querySelector("a,input,button") === null && item.closest(notContent) === null && visibleText(item) !== "",
  ).length;
}

const notContent = "nav,aside,footer,form,a,#comments,.comments";
const fewestItems = 5;
const leastShareOfItems = 0.5;

function commentsLength(main: DomElement): number {
  const sections = [...main.querySelectorAll(commentSections)];
  const outermost = sections.filter((section) => !section.parentElement?.closest(commentSections));
  return outermost.reduce((sum, section) => sum + proseLength(section), 0);
}

const commentSections = "#comments,.comments,.comments-area,#respond,#disqus_thread";

const leastOfDeclaredArticle = 1 / 20;
const leastOfOtherPage = 2 / 3;

function readArticle(document: DomDocument): DomElement {
  const found = new Readability<DomElement>(document as never, {
    serializer: (node) => node as never,
    // The rules need class names; the sanitiser removes them.
    keepClasses: true,
    disableJSONLD: true,
  }).parse();
  return found?.content ?? document.createElement("div");
}
