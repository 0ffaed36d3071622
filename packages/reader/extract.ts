import { Readability } from "@mozilla/readability";
import { type DomDocument, type DomElement, visibleText } from "./dom.ts";
import { mainContainer } from "./main-container.ts";
import { declaresArticle, declaresThread } from "./page-type.ts";
import { proseLength } from "./prose.ts";
import { edgeLines } from "./rules/edge-lines.ts";
import { furnitureNames } from "./rules/furniture-names.ts";
import { inheritedNames } from "./rules/inherited-names.ts";
import { landmarks } from "./rules/landmarks.ts";
import { linkLines } from "./rules/link-lines.ts";
import { linkLists } from "./rules/link-lists.ts";
import { misleadingNames } from "./rules/misleading-names.ts";
import { pictureCaptions } from "./rules/picture-captions.ts";
import type { ArticleContext, ArticleRule, PageRule } from "./rules/rule.ts";
import { siteParts } from "./rules/site-parts.ts";
import { serializeChildren } from "./serialize.ts";
import { structuredBody } from "./structured-body.ts";
import { type Thing, thingsOf } from "./structured-data.ts";

/** Before the article is looked for. */
const pageRules: readonly PageRule[] = [landmarks, misleadingNames, inheritedNames];
/** For the page's main container, where that is taken whole. */
const containerRules: readonly ArticleRule[] = [siteParts];
/** For every article. */
const articleRules: readonly ArticleRule[] = [pictureCaptions, furnitureNames];
/** For what Readability found: running text, in which links and lines that stand alone are not content. */
const storyRules: readonly ArticleRule[] = [linkLists, linkLines, edgeLines];

const wholeContainer = "whole-container";
const structuredData = "structured-body";
/** Characters; for less the text in a page's structured data is taken. */
const shortestArticle = 200;

/** The names by which rules can be left out. */
export const ruleNames: readonly string[] = [
  wholeContainer,
  ...[...pageRules, ...containerRules, ...articleRules, ...storyRules].map(({ name }) => name),
  structuredData,
];

export interface ExtractionOptions extends ArticleContext {
  /** Names of rules to leave out, so that the gain of each can be measured. */
  without?: ReadonlySet<string> | undefined;
}

/**
 * The markup of a page's main article; empty where there is none. Looking for an article takes a document apart, so
 * `freshDocument` gives one of the same page each time it is called.
 */
export function extractArticle(freshDocument: () => DomDocument, options: ExtractionOptions): string {
  const apply = (rules: readonly ArticleRule[], article: DomElement) => {
    for (const rule of rules) if (!options.without?.has(rule.name)) rule.apply(article, options);
  };
  const prepare = () => {
    const document = freshDocument();
    for (const rule of pageRules) if (!options.without?.has(rule.name)) rule.apply(document);
    return document;
  };
  const document = prepare();
  const things = thingsOf(document);
  const enough = options.without?.has(wholeContainer) ? 0 : proseExpected(document, things);
  let article = readArticle(document);
  const isWhole = proseLength(article) < enough;
  if (isWhole) {
    article = mainContainer(prepare());
    apply(containerRules, article);
  }
  apply(articleRules, article);
  if (!isWhole) apply(storyRules, article);
  const markup = serializeChildren(article, options);
  if (visibleText(article).length >= shortestArticle) return markup;
  return (options.without?.has(structuredData) ? "" : structuredBody(things)) || markup;
}

/**
 * How much prose an article of this page must have, in characters; one with less has missed the page's content. Where a
 * page says that it is an article, what Readability leaves out is nearly always comments and other stories; on all other
 * pages (threads, documentation, services, products) it is as often content.
 */
function proseExpected(document: DomDocument, things: readonly Thing[]): number {
  const share = declaresArticle(document, things) ? leastOfDeclaredArticle : leastOfOtherPage;
  const main = mainContainer(document);
  const comments = declaresThread(things) ? 0 : commentsLength(main);
  return (proseLength(main) - comments) * share;
}

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
    // The rules read class names; the sanitiser removes them.
    keepClasses: true,
    disableJSONLD: true,
  }).parse();
  return found?.content ?? document.createElement("div");
}
