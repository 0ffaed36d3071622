import { type DomDocument, type DomElement, visibleText } from "./dom.ts";
import { nameWordsOf } from "./element-names.ts";
import { mainContainer } from "./main-container.ts";
import { sequenceOf } from "./page-sequence.ts";
import { declaresArticle } from "./page-type.ts";
import { proseLength } from "./prose.ts";
import { thingsOf } from "./structured-data.ts";
import { isHidden } from "./visibility.ts";

/**
 * The absolute http(s) URL of the next page of a multi-page article, on the same site; undefined where there is none.
 * A link leads there when its URL continues this page's own URL, and it says so: by `rel=next` or a word for "next" where
 * readers see it, in what belongs to the article. Numbers that may be those of items lead on only in a row of page
 * numbers. A `<link rel=next>` or a bare page number says it on articles alone: lists of articles have these too.
 */
export function findNextPage(document: DomDocument): string | undefined {
  const page = new URL(document.documentURI);
  const candidates = [...document.querySelectorAll("a[href],link[rel][href]")].flatMap((element) => {
    const target = targetOf(element, document);
    const sequence = target && sequenceOf(target, page);
    if (target === undefined || sequence === undefined || isElsewhere(element)) return [];
    return [{ element, target, sequence }];
  });
  const rows = candidates.some(({ sequence }) => sequence === "bare") ? pageRowsOf(document) : undefined;
  const links = candidates.filter(
    ({ sequence, target }) => sequence === "named" || rows?.has(withoutNumber(target) ?? ""),
  );
  if (links.length === 0) return undefined;
  const visible = links.filter(({ element }) => element.localName === "a");
  const said =
    visible.find(({ element }) => saysRelNext(element)) ?? visible.find(({ element }) => saysNextWord(element));
  if (said !== undefined) return said.target.href;
  const implied =
    links.find(({ element }) => saysRelNext(element)) ?? visible.find(({ element }) => saysNumber(element));
  return implied !== undefined && readsAsArticle(document) ? implied.target.href : undefined;
}

function readsAsArticle(document: DomDocument): boolean {
  if (declaresArticle(document, thingsOf(document))) return true;
  return new URL(document.documentURI).pathname !== "/" && proseLength(mainContainer(document)) >= articleProse;
}

const articleProse = 1500;

/** Not shown, or in a part of the page that has pages of its own. */
function isElsewhere(link: DomElement): boolean {
  for (let around: DomElement | null = link; around !== null; around = around.parentElement) {
    if (around.localName === "body") return false;
    if (isHidden(around) || around.localName === "aside") return true;
    if (nameWordsOf(around).some((word) => elsewhere.has(word))) return true;
  }
  return false;
}

const elsewhere = new Set(["comments", "commentlist", "disqus", "reviews", "related", "calendar"]);

/** The addresses that page numbers link to, each without its number. */
function pageRowsOf(document: DomDocument): Set<string> {
  const numbers = [...document.querySelectorAll("a[href]")].filter((link) => saysNumber(link) && !isElsewhere(link));
  return new Set(numbers.flatMap((link) => withoutNumber(targetOf(link, document)) ?? []));
}

function withoutNumber(url: URL | undefined): string | undefined {
  return url?.href.replace(/\d+(?=\D*$)/, "");
}

function targetOf(element: DomElement, document: DomDocument): URL | undefined {
  const target = URL.parse(element.getAttribute("href") ?? "", document.baseURI);
  if (target?.protocol !== "http:" && target?.protocol !== "https:") return undefined;
  target.username = "";
  target.password = "";
  return target;
}

function saysRelNext(element: DomElement): boolean {
  return (element.getAttribute("rel") ?? "").toLowerCase().split(/\s+/).includes("next");
}

function saysNextWord(element: DomElement): boolean {
  return [visibleText(element), element.getAttribute("title"), element.getAttribute("aria-label")].some(
    (label) => label !== null && isNextWord(label),
  );
}

/** Of a page that may come next; sequences that count from 0 link to the first page as well. */
function saysNumber(element: DomElement): boolean {
  return /^(?:[2-9]|[1-9]\d{1,3})$/.test(visibleText(element));
}

const longestLabel = 40;
const nextArrows = new Set(["»", "›", ">", ">>", "→", "▶", "►", "⟩", "»»", "⇒", "❯"]);
const arrowsAndPunctuation = /[»›>→▶►⟩⇒❯.…:|-]+/g;

/** What links to a next page are called. */
const nextWords = new Set([
  ...["next", "next page", "go to next page", "continue", "continue reading"],
  ...["weiter", "nächste", "nächste seite", "vor", "suivant", "suivante", "page suivante"],
  ...["siguiente", "página siguiente", "próximo", "próxima", "próxima página", "seguinte", "página seguinte"],
  ...["avanti", "successivo", "successiva", "pagina successiva", "volgende", "volgende pagina", "nästa"],
  ...["nästa sida", "neste", "neste side", "næste", "seuraava", "następna", "następne", "następna strona", "dalej"],
  ...["další", "ďalej", "ďalšia", "következő", "sonraki", "sonraki sayfa", "ileri", "înainte", "următoarea"],
  ...["след", "следующая", "следующая страница", "далее", "вперед", "вперёд", "далі", "наступна", "напред"],
  ...[
    "επόμενη",
    "επόμενο",
    "berikutnya",
    "selanjutnya",
    "tiếp",
    "trang sau",
    "ถัดไป",
    "التالي",
    "التالية",
    "הבא",
    "بعدی",
    "अगला",
  ],
  ...["次", "次へ", "次のページ", "次のページへ", "下一页", "下一頁", "下页", "后页", "다음", "다음 페이지"],
]);

function isNextWord(label: string): boolean {
  const text = label.replace(/\s+/g, " ").trim().toLowerCase();

  if (text.length > longestLabel) return false;
  return nextArrows.has(text) || nextWords.has(text.replace(arrowsAndPunctuation, " ").replace(/\s+/g, " ").trim());
}
