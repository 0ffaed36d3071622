import { childrenOf, type DomDocument, type DomElement, visibleText } from "./dom.ts";
import { proseLength } from "./prose.ts";

/**
 * Removes what a reader of the page would not see. An element that holds most of the page's text stays: some pages hide
 * their article until a script shows it.
 */
export function removeHidden(document: DomDocument): void {
  unwrapScriptlessArticle(document);
  for (const element of document.body.querySelectorAll(neverShown)) element.remove();
  const pageLength = visibleText(document.body).length;
  for (const element of document.body.querySelectorAll(mayBeHidden)) {
    if (isHidden(element) && visibleText(element).length <= pageLength * mostOfThePage) element.remove();
  }
}

/** Applications put the text of their page into a `<noscript>`; it is what a reader without scripts sees. */
function unwrapScriptlessArticle(document: DomDocument): void {
  const scriptless = [...document.body.querySelectorAll("noscript")];
  const elsewhere = proseLength(document.body);
  for (const element of scriptless) {
    let prose = 0;
    for (const child of element.children) prose += proseLength(child);
    if (prose > Math.max(leastScriptless, elsewhere)) element.replaceWith(...childrenOf(element));
  }
}

/** Whether the element itself is marked as not shown. */
export function isHidden(element: DomElement): boolean {
  return (
    element.hasAttribute("hidden") ||
    element.getAttribute("aria-hidden") === "true" ||
    hidingStyle.test(element.getAttribute("style") ?? "")
  );
}

/** Whether neither the element nor what it is in is marked as not shown. */
export function isShown(element: DomElement): boolean {
  for (let around: DomElement | null = element; around !== null; around = around.parentElement) {
    if (isHidden(around)) return false;
  }
  return true;
}

const neverShown = "script,noscript,template,dialog:not([open]),datalist,map,area";
const mayBeHidden = "[hidden],[aria-hidden=true],[style]";
const hidingStyle = /(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*hidden)/i;
const leastScriptless = 400;
const mostOfThePage = 0.3;
