import type { DomElement } from "./dom.ts";
import type { Page } from "./page.ts";

/** Whether there is a link that leads from another page to the site's home page. */
export function leadsHome(link: DomElement | null, { url, document }: Page): boolean {
  const target = URL.parse(link?.getAttribute("href") ?? "about:blank", document.baseURI);
  const isHome = target?.host === url.host && target.pathname === "/" && target.search === "" && target.hash === "";
  return isHome && url.pathname !== "/";
}
