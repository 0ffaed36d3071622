import type { DomDocument, DomElement } from "./dom.ts";
import { mainContainer } from "./main-container.ts";
import { type PageType, pageTypeOf } from "./page-type.ts";
import { copyPage, type PageSource, parsePage } from "./parse-page.ts";
import { metaContents, type Thing, thingsOf } from "./structured-data.ts";

/**
 * A parsed page and what is derived from it: each property is computed once, when it is first needed. The properties
 * describe the page as it was parsed; code that removes elements from the document afterwards does not change them.
 */
export class Page {
  readonly #source: PageSource;
  readonly document: DomDocument;
  /** The page's own URL; `document.baseURI` is the base of its links. */
  readonly url: URL;
  #structuredData: readonly Thing[] | undefined;
  #type: PageType | undefined;
  #main: DomElement | undefined;
  #metas: ReadonlyMap<string, string> | undefined;

  /** Parses the HTML or XML of the page at `url`, an absolute URL. */
  constructor(html: string | PageSource, url: string) {
    this.#source = typeof html === "string" ? parsePage(html) : html;
    this.document = copyPage(this.#source, url);
    this.url = new URL(this.document.documentURI);
  }

  /** The page as it was parsed. */
  copy(): Page {
    return new Page(this.#source, this.url.href);
  }

  /** All JSON-LD objects. */
  get structuredData(): readonly Thing[] {
    this.#structuredData ??= thingsOf(this.document);
    return this.#structuredData;
  }

  /** The type that the page declares. */
  get type(): PageType {
    this.#type ??= pageTypeOf((name) => this.meta(name), this.structuredData);
    return this.#type;
  }

  /** The element that the page marks as its content, or the body. */
  get main(): DomElement {
    this.#main ??= mainContainer(this.document);
    return this.#main;
  }

  /** The content of a `<meta>` by its property or name, with white space collapsed; empty if there is none. */
  meta(name: string): string {
    this.#metas ??= metaContents(this.document);
    return this.#metas.get(name) ?? "";
  }
}
