import { type DomElement, lettersOf, visibleText } from "../document/dom.ts";
import type { Page } from "../document/page.ts";
import { linkDensity } from "../document/prose.ts";

/**
 * The introduction between the title and the body of a page, which Readability often loses: a text that equals the page's
 * description. Not on declared articles: there it is a summary for search engines, which the benchmarks do not count.
 */
export function leadsOf(page: Page): DomElement[] {
  const { document } = page;
  const title = document.querySelector("h1");
  if (title === null || page.type === "article") return [];
  const description = lettersOf(page.meta("description") || page.meta("og:description"));
  const elements = [...document.body.querySelectorAll("h1,h2,p,div,ul,section,span")];
  const leads: DomElement[] = [];
  for (const element of elements.slice(elements.indexOf(title) + 1, elements.indexOf(title) + 1 + nearTitle)) {
    if (leads.some((lead) => lead.contains(element)) || element.contains(title)) continue;
    if (
      !isLead(element, description) ||
      leads.some((lead) => lettersOf(lead.textContent) === lettersOf(element.textContent))
    )
      continue;
    leads.push(element.cloneNode(true));
    if (leads.length === mostLeads) break;
  }
  return leads;
}

/** Inserts the leads whose text the article does not contain before its first child. */
export function addLeads(article: DomElement, leads: readonly DomElement[], page: Page): void {
  const text = lettersOf(article.textContent);
  const first = article.firstChild;
  for (const lead of leads) {
    if (text.includes(lettersOf(lead.textContent))) continue;
    const paragraph = page.document.createElement(lead.localName === "ul" || lead.querySelector("p,li") ? "div" : "p");
    if (lead.localName === "ul" || lead.querySelector("p,li")) paragraph.appendChild(lead);
    else paragraph.appendChild(page.document.createTextNode(visibleText(lead)));
    article.insertBefore(paragraph, first);
  }
}

/** How many blocks after the title may be a lead. */
const nearTitle = 25;
const mostLeads = 2;
const shortest = 40;
const longest = 700;
function isLead(element: DomElement, description: string): boolean {
  const text = visibleText(element);
  if (text.length < shortest || text.length > longest || linkDensity(element) > 0.3) return false;
  if (element.closest("nav,aside,header nav,footer,figure") !== null) return false;
  return lettersOf(text) === description;
}
