// SPDX-License-Identifier: MIT

import type { DomDocument, DomElement } from "./dom.ts";
import { mainContainer } from "./main-container.ts";
import { findPageType, type PageType } from "./page-type.ts";
import { copyPage, type PageSource, parsePage } from "./parse-page.ts";
import { findThings, metaContents, type Thing } from "./structured-data.ts";

/** A parsed page. Its declarations are read before later steps remove elements from the document. */
export class Page {
  readonly document: DomDocument;
  /** The page's own URL; `document.baseURI` is the base of its links. */
  readonly url: URL;
  /** All JSON-LD objects. */
  readonly structuredData: readonly Thing[];
  /** The type that the page declares. */
  readonly type: PageType;
  readonly #metas: ReadonlyMap<string, string>;
  #main: DomElement | undefined;

  /** Parses the HTML or XML of the page at `url`, an absolute URL. */
  constructor(html: string | PageSource, url: string) {
    this.document = copyPage(typeof html === "string" ? parsePage(html) : html, url);
    this.url = new URL(this.document.documentURI);
    this.structuredData = findThings(this.document);
    this.#metas = metaContents(this.document);
    this.type = findPageType((name) => this.meta(name), this.structuredData);
  }

  /** The element that the page marks as its content, or the body. Found once, when it is first needed. */
  get main(): DomElement {
    this.#main ??= mainContainer(this.document);
    return this.#main;
  }

  /** The content of a `<meta>` by its property or name, with white space collapsed; empty if it is missing. */
  meta(name: string): string {
    return this.#metas.get(name) ?? "";
  }

  /** Whether there is a link that leads from another page to the site's home page. */
  leadsHome(link: DomElement | null): boolean {
    const target = URL.parse(link?.getAttribute("href") ?? "about:blank", this.document.baseURI);
    const isHome =
      target?.host === this.url.host && target.pathname === "/" && target.search === "" && target.hash === "";
    return isHome && this.url.pathname !== "/";
  }
}
