// SPDX-License-Identifier: MIT

import {
  childrenOf,
  contains,
  type DomElement,
  elementsOf,
  headingNames,
  lettersOf,
  newElement,
  visibleText,
} from "./dom.ts";
import { classOf } from "./element-names.ts";
import type { Page } from "./page.ts";

/**
 * Removes links and labels inside headings and terms that are not part of the title: permalink markers (`¶`, `#`, icons)
 * and edit links (`[edit]`). Moves a kicker out of the `h1`, and replaces line breaks by spaces.
 */
export function cleanHeadings(page: Page): void {
  const { document } = page;
  for (const heading of elementsOf(document.body, headingsAndTerms)) {
    for (const lineBreak of elementsOf(heading, "br")) lineBreak.replaceWith(document.createTextNode(" "));
    for (const element of heading.querySelectorAll("*")) {
      if (isMarker(element) && visibleText(element) !== visibleText(heading)) element.remove();
      // A script opens the panel below: the heading is not a link to Readability.
      else if (element.getAttribute("href") === "#") element.replaceWith(...childrenOf(element));
    }
  }
  // Sphinx has such a marker after the captions of code, tables and figures, too.
  for (const marker of document.body.querySelectorAll("a.headerlink")) if (isMarker(marker)) marker.remove();
  separateKicker(page);
}

const headingsAndTerms = `${headingNames},dt`;

/** A kicker ("World", "Opinion") inside the `h1` becomes a paragraph before it, if the rest of the `h1` is the page's title. */
function separateKicker(page: Page): void {
  const pageTitle = page.document.querySelector("title")?.textContent ?? "";
  const titles = [page.meta("og:title"), page.meta("twitter:title"), pageTitle].map(lettersOf);
  for (const heading of elementsOf(page.document.body, "h1")) {
    let [kicker] = heading.children;
    while (kicker !== undefined && visibleText(kicker) === visibleText(heading)) [kicker] = kicker.children;
    if (kicker === undefined || visibleText(kicker) === "") continue;
    const rest = lettersOf(heading.textContent).slice(lettersOf(kicker.textContent).length);
    if (rest === "" || !titles.some((title) => title.startsWith(rest))) continue;
    const text = page.document.createTextNode(visibleText(kicker));
    kicker.remove();
    heading.parentElement?.insertBefore(newElement(page.document, "p", [text]), heading);
  }
}

function isMarker(element: DomElement): boolean {
  if (!/^(?:a|button)$/.test(element.localName) && !markerName.test(classOf(element))) return false;
  if (contains(element, "img")) return false;
  const text = visibleText(element);
  if (text === "") return element.firstChild !== null || element.hasAttribute("href");
  return oneSymbol.test(text) || label.test(text.replace(/^[[(]|[\])]$/g, "").trim());
}

const markerName = /headerlink|anchor|permalink|octicon|edit/i;
const oneSymbol = /^[^\p{L}\p{N}]{1,2}\p{M}*$/u;
const label =
  /^(?:(?:direct |permanent )?link to .*|(?:edit|edit source|permalink|permanent ?link|anchor|link|lien permanent|enlace permanente|dauerhafter link|direktlink|edit (?:this )?(?:section|page)|ソースを編集|edit on github|copy link|bearbeiten(?: \| quelltext bearbeiten)?|modifier(?: (?:\| modifier )?le code)?|editar(?: (?:código|fonte|a fonte))?|modifica(?: wikitesto)?|bewerken|править(?: код)?|редактировать|編集|编辑|編輯|편집|تعديل|עריכה|redigera|rediger|muokkaa|edytuj|upravit|szerkesztés|düzenle)(?:\s*\|.*)?)$/iu;
