import { Readability } from "@mozilla/readability";
import { type DomDocument, type DomElement, visibleText } from "../document/dom.ts";
import { mainContainer } from "../document/main-container.ts";
import type { Page } from "../document/page.ts";
import { serializeChildren } from "../document/serialize.ts";
import { applyRules, type Rule, type RuleContext } from "../rules/rule.ts";
import { DeclaredBody } from "./declared-body.ts";
import { contentOf, minArticleLength, missesContent } from "./missed-content.ts";
import type { Rules } from "./rules.ts";
import { threadArticle } from "./thread.ts";

/**
 * The markup of a page's main article; empty if there is none. It destroys the page's document. `readAgain` parses the
 * page once more, for the case that Readability missed its content.
 */
export function extractArticle(
  page: Page,
  readAgain: () => DomDocument,
  { rules, ...options }: Omit<RuleContext, "type"> & { rules: Rules },
): string {
  const context = { ...options, type: page.type };
  const finish = (article: DomElement, ...steps: (readonly Rule[])[]) => {
    applyRules([...steps.flat(), ...rules.last], article, context);
    return serializeChildren(article, context);
  };
  const thread = threadArticle(page);
  if (thread !== undefined) return finish(thread, rules.article);
  const prepare = (document: DomDocument) => {
    applyRules(rules.page, document.body, context);
    return document;
  };
  const document = prepare(page.document);
  const content = contentOf(document, page.type);
  const declared = new DeclaredBody(page.structuredData);
  const article = readArticle(document);
  if (declared.isMissingIn(article)) {
    const body = declared.elementIn(prepare(readAgain()).body);
    if (body !== undefined) return finish(body, rules.container, rules.article, rules.story);
  }
  if (missesContent(article, content)) {
    return finish(mainContainer(prepare(readAgain())), rules.container, rules.article);
  }
  const markup = finish(article, rules.article, rules.story);
  return visibleText(article).length >= minArticleLength ? markup : declared.markup || markup;
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
