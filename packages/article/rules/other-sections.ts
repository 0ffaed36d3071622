// SPDX-License-Identifier: MIT

import { type DomElement, elementsOf, headingNames, lettersOf, visibleText } from "../document/dom.ts";
import { linkDensity } from "../document/prose.ts";
import type { Rule } from "./rule.ts";

/**
 * Removes sections whose heading says that they are not about this page: other stories, similar products, comments,
 * newsletters. A section of more than 700 letters stays unless at least 30% of it is links. A section with more than half of
 * the article's letters always stays.
 */
export const otherSections: Rule = {
  name: "other-sections",
  *apply(article) {
    const max = lettersOf(article.textContent).length * maxShareOfAll;
    const about = elementsOf(article, headingNames).filter((heading) => isAboutOthers(visibleText(heading)));
    for (const heading of about.slice(0, maxSections)) {
      if (!article.contains(heading)) continue;
      const section = sectionOf(heading, article);
      const size = sum(section, (part) => lettersOf(part.textContent).length);
      const linked = sum(section, (part) => lettersOf(part.textContent).length * linkDensity(part));
      if (size > max || (size > shortSection && linked < size * mostlyLinks)) continue;
      yield* section;
    }
  },
};

const maxShareOfAll = 0.5;
/** Bounds the work on a hostile page: the cost of a section grows with the article. */
const maxSections = 50;
const shortSection = 700;
const mostlyLinks = 0.3;
const maxHeadingLength = 60;

function isAboutOthers(heading: string): boolean {
  return heading.length <= maxHeadingLength && headings.some((pattern) => pattern.test(heading));
}

const headings = [
  /^(?:you (?:may|might) (?:also )?(?:like|enjoy|be interested in)|.{0,40}\balso (?:viewed|bought|liked|searched|like)|(?:your )?recently viewed.*|keep reading|read next|up next|what to read next|explore more|discover more|more like this|don['’]t miss|related topics|trending(?: now)?|most (?:popular|read|viewed|shared)|in case you missed it)\W*$/i,
  /^(?:(?:our|the|see|read|explore|view|browse|get) )*(?:related|similar|recommended|more|other|latest|recent|featured|popular|trending|suggested)\b.{0,25}\b(?:articles?|posts?|stor(?:y|ies)|insights?|products?|items?|accessories|resources?|reading|reads|news|blogs?|videos?|guides?|pages?|content|topics?|links?|threads?|discussions?|searches|categories|courses|jobs|events|episodes|recipes|books|collections|publications)\b.{0,25}$/i,
  /^(?:more (?:from|in|on|about|by)\b|from (?:our|the) blog|latest from\b).{0,40}$/i,
  /^(?:leave a (?:reply|comment)|(?:\d+ )?(?:comments?|responses|replies)(?: \(?\d+\)?)?|(?:add|post) a comment|join the (?:conversation|discussion)|about the authors?|share this.{0,20}|follow us.{0,20}|subscribe.{0,40}|sign up (?:for|to).{0,40}|this (?:story|article) is funded by.{0,40}|stay (?:up to date|in the loop|connected|updated|informed).{0,30}|.{0,30}(?:newsletter|news (?:e-?mails?|alerts?)))\W*$/i,
  /^\W*(?:mehr zum thema|das könnte (?:sie|dich) (?:auch )?(?:noch )?interessieren|(?:ähnliche|verwandte|weitere|neueste|beliebte) (?:artikel|beiträge|themen|meldungen|nachrichten|produkte)|(?:à )?lire (?:aussi|également)|(?:sur le|dans le) même (?:sujet|thème)|(?:articles?|contenus?|sujets?|produits) (?:similaires|liés|associés|connexes|recommandés)|vous aimerez aussi|artículos relacionados|noticias relacionadas|(?:te|le) puede interesar|también te puede.{0,20}|(?:leia|veja) (?:também|mais)|você (?:também )?pode (?:também )?gostar|(?:artigos|notícias|matérias) relacionad[ao]s|leggi anche|articoli (?:correlati|simili)|potrebbe interessarti.{0,20}|lees ook|gerelateerde (?:artikelen|berichten)|(?:czytaj|zobacz) (?:też|także|również)|(?:podobne|powiązane) artykuły|читайте также|(?:похожие|другие|связанные) (?:статьи|новости|материалы|записи)|материалы по теме|関連(?:記事|リンク|ニュース|する記事)|おすすめ記事|あわせて読みたい|相[关關](?:文章|新[闻聞]|阅读|閱讀|推荐|推薦)|延伸閱讀|관련 ?(?:기사|글)|مواضيع ذات صلة|اقرأ أيضا|مقالات ذات صلة|کتبه‌های مرتبط|מאמרים קשורים|läs (?:också|även|mer)|relaterade artiklar|les også|læs også|související články|mohlo by vás zajímat|ilgili (?:haberler|yazılar|içerikler))\W*$/iu,
  /^\W*(?:\d+ )?(?:kommentare?|commentaires?|comentarios?|comentários?|commenti|reacties|komentarze|комментарии|kommentarer|kommentit|komentáře|yorumlar|コメント|评论|評論|留言|댓글|تعليقات|kommentar schreiben|laisser un commentaire|deja un comentario|deixe um comentário|lascia un commento)(?: ?[(（]?\d+[)）]?)?\W*$/iu,
];

/** The largest box that starts with the heading; else the heading and what follows up to the next heading of its level. */
function sectionOf(heading: DomElement, article: DomElement): DomElement[] {
  const text = lettersOf(heading.textContent);
  let top = heading;
  for (let box = heading.parentElement; box !== null && box !== article; box = box.parentElement) {
    const isSection =
      lettersOf(box.textContent).startsWith(text) && box.querySelectorAll(`h1,${heading.localName}`).length === 1;
    if (!isSection) break;
    top = box;
  }
  if (lettersOf(top.textContent) !== text) return [top];
  const parts = [top];
  for (let next = top.nextElementSibling; next !== null; next = next.nextElementSibling) {
    const inner = headingLevel(next.localName) > 0 ? next : next.querySelector("h1,h2,h3,h4,h5,h6");
    if (inner !== null && headingLevel(inner.localName) <= headingLevel(heading.localName)) break;
    parts.push(next);
  }
  return parts;
}

/** 0 if the name is not that of a heading. */
function headingLevel(localName: string): number {
  return Number(/^h([1-6])$/i.exec(localName)?.[1] ?? 0);
}

function sum(elements: readonly DomElement[], sizeOf: (element: DomElement) => number): number {
  return elements.reduce((total, element) => total + sizeOf(element), 0);
}
