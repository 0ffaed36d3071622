// SPDX-License-Identifier: MIT

import { closestThat, type DomDocument, type DomElement, findElements, visibleText } from "../document/dom.ts";
import { isNamed } from "../document/element-names.ts";
import type { Page } from "../document/page.ts";
import { proseLength } from "../document/prose.ts";
import { isHidden } from "../document/visibility.ts";
import { findSequence } from "./page-sequence.ts";

/**
 * The absolute http(s) URL of the next page of a multi-page article on the same site; undefined on the last page. The URL
 * of the link must continue this page's URL (`findSequence`), and the link must be visible and say `rel=next` or "next".
 * Numbers that may belong to items count only in a row of page numbers. A `<link rel=next>` or a bare page number counts
 * only on articles, because lists of articles have them too.
 */
export function findNextPage(page: Page): string | undefined {
  const { document } = page;
  const candidates = findElements(document.documentElement, "a,link").flatMap((element) => {
    const target = resolveTarget(element, document);
    const sequence = target && findSequence(target, page.url);
    return target && sequence && !isElsewhere(element) ? [{ element, target, sequence }] : [];
  });
  const rows = candidates.some(({ sequence }) => sequence === "bare") ? findPageRows(document) : undefined;
  const links = candidates.filter(({ sequence, target }) => sequence === "named" || rows?.has(withoutNumber(target)));
  const visible = links.filter(({ element }) => element.localName === "a");
  const find = (among: typeof links, says: (element: DomElement) => boolean) =>
    among.find((link) => says(link.element));
  const said = find(visible, saysRelNext) ?? find(visible, saysNextWord);
  if (said !== undefined) return said.target.href;
  const implied = find(links, saysRelNext) ?? find(visible, saysNumber);
  return implied !== undefined && readsAsArticle(page) ? implied.target.href : undefined;
}

function readsAsArticle(page: Page): boolean {
  if (page.type === "article") return true;
  return page.url.pathname !== "/" && proseLength(page.main) >= articleProse;
}

const articleProse = 1500;

/** Whether a link is hidden or in a part of the page that has its own pages, such as comments. */
function isElsewhere(link: DomElement): boolean {
  const isPart = (box: DomElement) => box.localName === "aside" || isHidden(box) || isNamed(box, elsewhere);
  const around = closestThat(link, (box) => box.localName === "body" || isPart(box));
  return around !== null && around.localName !== "body";
}

const elsewhere = new Set(["comments", "commentlist", "disqus", "reviews", "related", "calendar"]);

/** The URLs that page numbers link to, each without its number. */
function findPageRows(document: DomDocument): Set<string | undefined> {
  const numbers = findElements(document.documentElement, "a").filter(
    (link) => link.hasAttribute("href") && saysNumber(link) && !isElsewhere(link),
  );
  return new Set(numbers.map((link) => withoutNumber(resolveTarget(link, document))));
}

const withoutNumber = (url: URL | undefined) => url?.href.replace(/(?<!\d)\d+(?=\D*$)/, "");

function resolveTarget(element: DomElement, document: DomDocument): URL | undefined {
  const href = element.getAttribute("href") ?? "";
  const target = /\d/.test(href) ? URL.parse(href, document.baseURI) : null;
  if (target?.protocol !== "http:" && target?.protocol !== "https:") return undefined;
  target.username = "";
  target.password = "";
  return target;
}

function saysRelNext(element: DomElement): boolean {
  return (element.getAttribute("rel") ?? "").toLowerCase().split(/\s+/).includes("next");
}

function saysNextWord(element: DomElement): boolean {
  const labels = [visibleText(element), element.getAttribute("title"), element.getAttribute("aria-label")];
  return labels.some((label) => isNextWord(label ?? ""));
}

/** Page numbers from 2 on. */
function saysNumber(element: DomElement): boolean {
  return /^(?:[2-9]|[1-9]\d{1,3})$/.test(visibleText(element));
}

const maxLabelLength = 40;
const nextArrows = new Set(["»", "›", ">", ">>", "→", "▶", "►", "⟩", "»»", "⇒", "❯"]);
const arrowsAndPunctuation = /[»›>→▶►⟩⇒❯.…:|-]+/g;

// biome-ignore format: a line holds many short names
const nextWords = new Set([
  "next", "next page", "go to next page", "continue", "continue reading", "weiter", "nächste", "nächste seite", "vor",
  "suivant", "suivante", "page suivante", "siguiente", "página siguiente", "próximo", "próxima", "próxima página",
  "seguinte", "página seguinte", "avanti", "successivo", "successiva", "pagina successiva", "volgende",
  "volgende pagina", "nästa", "nästa sida", "neste", "neste side", "næste", "seuraava", "następna", "następne",
  "następna strona", "dalej", "další", "ďalej", "ďalšia", "következő", "sonraki", "sonraki sayfa", "ileri", "înainte",
  "următoarea", "след", "следующая", "следующая страница", "далее", "вперед", "вперёд", "далі", "наступна", "напред",
  "επόμενη", "επόμενο", "berikutnya", "selanjutnya", "tiếp", "trang sau", "ถัดไป", "التالي", "التالية", "הבא", "بعدی",
  "अगला", "次", "次へ", "次のページ", "次のページへ", "下一页", "下一頁", "下页", "后页", "다음", "다음 페이지",
]);

function isNextWord(label: string): boolean {
  const text = label.replace(/\s+/g, " ").trim().toLowerCase();
  if (text.length > maxLabelLength) return false;
  return nextArrows.has(text) || nextWords.has(text.replace(arrowsAndPunctuation, " ").replace(/\s+/g, " ").trim());
}
