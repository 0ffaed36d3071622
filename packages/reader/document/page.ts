import type { DomDocument, DomElement } from "./dom.ts";
import { mainContainer } from "./main-container.ts";
import { type PageType, pageTypeOf } from "./page-type.ts";
import { parsePage } from "./parse-page.ts";
import { metaContent, type Thing, thingsOf } from "./structured-data.ts";

/**
 * A parsed page and what is derived from it: each property is computed once, when it is first needed. The properties
 * describe the page as it was parsed; code that removes elements from the document afterwards does not change them.
 */
export class Page {
  readonly document: DomDocument;
  /** The page's own URL; `document.baseURI` is the base of its links. */
  readonly url: URL;
  #structuredData: readonly Thing[] | undefined;
  #type: PageType | undefined;
  #main: DomElement | undefined;

  /** Parses the HTML or XML of the page at `url`, an absolute URL. */
  constructor(html: string, url: string) {
    this.document = parsePage(html, url);
    this.url = new URL(this.document.documentURI);
  }

  /** All JSON-LD objects. */
  get structuredData(): readonly Thing[] {
    this.#structuredData ??= thingsOf(this.document);
    return this.#structuredData;
  }

  /** What the page declares itself to be. */
  get type(): PageType {
    this.#type ??= pageTypeOf(this.document, this.structuredData);
    return this.#type;
  }

  /** The element that the page marks as its content, or the body. */
  get main(): DomElement {
    this.#main ??= mainContainer(this.document);
    return this.#main;
  }

  /** The content of a `<meta>` by its property or name, with white space collapsed; empty if there is none. */
  meta(name: string): string {
    return metaContent(this.document, name);
  }
}
