import { type DomDocument, type DomElement, visibleText } from "./dom.ts";

/**
 * Removes what a reader of the page would not see. An element that holds most of the page's text stays: some pages hide
 * their article until a script shows it.
 */
export function removeHidden(document: DomDocument): void {
  for (const element of document.body.querySelectorAll(neverShown)) element.remove();
  const pageLength = visibleText(document.body).length;
  for (const element of document.body.querySelectorAll(mayBeHidden)) {
    if (isHidden(element) && visibleText(element).length <= pageLength * mostOfThePage) element.remove();
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

const neverShown = "script,noscript,template,dialog:not([open]),datalist,map,area";
const mayBeHidden = "[hidden],[aria-hidden=true],[style]";
const hidingStyle = /(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*hidden)/i;
const mostOfThePage = 0.3;
