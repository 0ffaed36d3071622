// SPDX-License-Identifier: MIT

import { Readability } from "@mozilla/readability";
import { ChildLists } from "../document/child-lists.ts";
import {
  closestThat,
  contains,
  type DomDocument,
  type DomElement,
  type DomNode,
  findElements,
  hasText,
  headingNames,
  isElement,
  listChildren,
  moveChildren,
  textNode,
  toLetters,
} from "../document/dom.ts";
import { isNamed, readClass } from "../document/element-names.ts";
import { isInSentence } from "../document/lines.ts";
import type { PageType } from "../document/page-type.ts";
import { linkDensity, proseLength } from "../document/prose.ts";
import { measureTextShare } from "../document/text-share.ts";
import { LostProse } from "./lost-prose.ts";

/**
 * The article that Readability finds, an empty element if it finds none, and the paragraphs that it removed from the article.
 * It changes the document, but not the lists of `page`.
 */
export function readArticle(
  document: DomDocument,
  type: PageType,
  page: ChildLists,
): { article: DomElement; lostProse: LostProse } {
  const options = {
    serializer: (node: unknown) => node as DomElement,
    // The rules need class names; the sanitiser removes them.
    keepClasses: true,
    disableJSONLD: true,
    // Cards and sections of lists name their subject in a link. Readability's types lack this option.
    linkDensityModifier: type === "article" ? 0 : 0.3,
  };
  const reader = new ArticleReader(document as never, options);
  reader.page = page;
  const article = reader.parse()?.content ?? document.createElement("div");
  reader.lostProse.takeOut(article);
  return { article, lostProse: reader.lostProse };
}

interface PrivateMethods {
  _grabArticle(this: unknown): DomElement | null;
  _getNextNode(this: unknown, node: DomElement): DomElement | null;
  _removeAndGetNext(this: unknown, node: DomElement): DomElement | null;
  _prepArticle(this: unknown, article: DomElement): void;
  _prepDocument(this: unknown): void;
  _removeScripts(this: unknown, document: DomDocument): void;
  _cleanConditionally(this: unknown, root: DomElement, name: string): void;
  _removeNodes(this: unknown, nodes: readonly DomElement[], isRemoved?: (node: DomElement) => boolean): void;
  _isPhrasingContent(this: unknown, node: DomNode): boolean;
  _isProbablyVisible(this: unknown, element: DomElement): boolean;
  _isValidByline(this: unknown, element: DomElement, names: string): boolean;
  _isElementWithoutContent(this: unknown, element: DomElement): boolean;
  _getTextDensity(this: unknown, element: DomElement, names: readonly string[]): number;
}
const readability = Readability.prototype as unknown as PrivateMethods;

/**
 * Readability judges each `div` of the article that it found alone, and removes those with little text beside links and
 * pictures, such as the third and the fifth of "The ten best schools". A `section` stays. The method is private and has
 * no option, and making the sections earlier would change the scores by which Readability finds the article.
 */
class ArticleReader extends Readability<DomElement> {
  page!: ChildLists;
  readonly lostProse = new LostProse();
  declare readonly _doc: DomDocument;
  declare readonly REGEXPS: { byline: RegExp };
  readonly #attempts = new Map<DomElement, ChildLists>();
  #attempt: DomElement | undefined;
  /** Whether it removes boxes because of their shape. */
  #isCleaning = false;

  /**
   * Readability writes a page as HTML, and parses that before each further attempt. Here the same nodes are put back,
   * and at the end the nodes of the best attempt.
   */
  protected _grabArticle(): DomElement | null {
    const { _doc: document } = this;
    const startAgain = () => {
      if (this.#attempt !== undefined) this.#attempts.set(this.#attempt, new ChildLists(this.#attempt));
      this.page.restore();
      readability._removeScripts.call(this, document);
      readability._prepDocument.call(this);
    };
    Object.defineProperty(document.body, "innerHTML", { configurable: true, get: () => "", set: startAgain });
    const article = readability._grabArticle.call(this);
    Reflect.deleteProperty(document.body, "innerHTML");
    if (article === null) return null;
    this.#attempts.get(article)?.restore();
    // Readability removes empty boxes next, which would be the places of the paragraphs.
    this.lostProse.putBack(article);
    // Readability would write it for its log.
    Object.defineProperty(article, "innerHTML", { value: "" });
    return article;
  }

  /** Readability would remove the whole page for a class such as "popup" of `html`, and the number of a source for "footers". */
  protected _removeAndGetNext(node: DomElement): DomElement | null {
    const isKept = /^(?:html|body)$/.test(node.localName) || (isWord(node) && this._isProbablyVisible(node));
    return readability[isKept ? "_getNextNode" : "_removeAndGetNext"].call(this, node);
  }

  protected _prepArticle(article: DomElement): void {
    this.#attempt = article;
    readability._prepArticle.call(this, article);
  }

  protected _removeNodes(nodes: readonly DomElement[], isRemoved?: (node: DomElement) => boolean): void {
    readability._removeNodes.call(this, nodes, (node) => {
      if (!(isRemoved?.call(this, node) ?? true)) return false;
      if (this.#isCleaning) this.lostProse.add(node);
      return true;
    });
  }

  protected _cleanConditionally(article: DomElement, name: string): void {
    if (name === "div") makeSections(article);
    const lists = name === "ul" ? findElements(article, "ul") : [];
    const boxes = new Set(lists.map(boxWithHeading));
    this.#isCleaning = name !== "form" && name !== "fieldset";
    readability._cleanConditionally.call(this, article, name);
    this.#isCleaning = false;
    // The heading of a list that is gone, such as one of other stories.
    for (const box of boxes) {
      const headings = box === undefined ? [] : findElements(box, headingNames);
      if (toLetters(box?.textContent ?? "") === headings.map((heading) => toLetters(heading.textContent)).join(""))
        box?.remove();
    }
  }

  /** Readability reads the whole style of each element, which most do not have. */
  protected _isProbablyVisible(element: DomElement): boolean {
    return (
      (!element.hasAttribute("style") && !element.hasAttribute("hidden") && !element.hasAttribute("aria-hidden")) ||
      readability._isProbablyVisible.call(this, element)
    );
  }

  /**
   * Readability removes the first line that names an author, even if it is the author of a quotation. It would read the text of
   * each element to find the line.
   */
  protected _isValidByline(element: DomElement, names: string): boolean {
    const isMarked = this.REGEXPS.byline.test(names) || element.hasAttribute("rel") || element.hasAttribute("itemprop");
    if (!isMarked || !readability._isValidByline.call(this, element, names)) return false;
    return closestThat(element, isQuotation) === null;
  }

  /** Readability would read the whole text of an element that has any. */
  protected _isElementWithoutContent(element: DomElement): boolean {
    return !hasText(element) && readability._isElementWithoutContent.call(this, element);
  }

  /** Readability would compile a selector for each call. Some of its names are in upper case. */
  protected _getAllNodesWithTag(root: DomNode, names: readonly string[]): DomElement[] {
    return findElements(root, names.join(",").toLowerCase());
  }

  /**
   * Readability collects the text of each inner element separately: the work grows by the square of the depth for nested boxes. Here one
   * walk measures all of them.
   */
  protected _getTextDensity(element: DomElement, names: readonly string[]): number {
    return measureTextShare(element, new Set(names.map((name) => name.toLowerCase())));
  }

  /** Readability's list lacks older inline elements and custom ones: it would tear their sentence into paragraphs. */
  protected _isPhrasingContent(node: DomNode): boolean {
    if (readability._isPhrasingContent.call(this, node)) return true;
    if (!isElement(node) || !inlineName.test(node.localName.toLowerCase())) return false;
    return listChildren(node).every((child) => this._isPhrasingContent(child));
  }
}

const isQuotation = (box: DomElement) => box.localName === "blockquote" || isNamed(box, quotationNames);
const quotationNames = new Set(["quote", "quotation", "pullquote", "testimonial", "testimonials", "epigraph"]);

/** Whether an inline element has text of its sentence on both sides. */
const isWord = (node: DomElement) =>
  isInSentence(node) &&
  [node.previousSibling, node.nextSibling].every((beside) => beside?.nodeType === textNode && hasText(beside));

/** The box of a list and its heading; undefined if the box has more. */
function boxWithHeading(list: DomElement): DomElement | undefined {
  const box = list.parentElement;
  if (box === null || findElements(box, headingNames).length !== 1 || linkDensity(list) < mostlyLinks) return undefined;
  const parts = [...findElements(box, headingNames), ...findElements(box, "ul,ol")].map((part) =>
    toLetters(part.textContent),
  );
  return parts.join("").length >= toLetters(box.textContent).length ? box : undefined;
}

const inlineName =
  /^(?:u|s|bdi|big|tt|strike|nobr|acronym|blink|marquee|spacer|slot|font|rb|rt|rp|rtc|(?!amp-)[a-z][a-z0-9.]*[:-][a-z0-9.:-]*)$/;

/** Makes a `section` of each `div` that has a heading and prose, as two others of its class have. */
function makeSections(article: DomElement): void {
  const sections = findElements(article, "div").filter(isSection);
  const alike = [...Map.groupBy(sections, classesWithoutNumbers).values()];
  for (const box of alike.filter(({ length }) => length >= minAlike).flat()) {
    const section = moveChildren(box, "section");
    section.className = readClass(box);
    section.id = box.id;
    box.replaceWith(section);
  }
}

const minAlike = 3;

/** The classes of a box, except classes with a number, such as a post's. */
const classesWithoutNumbers = (box: DomElement) =>
  readClass(box)
    .split(/\s+/)
    .filter((name) => !/\d\d/.test(name))
    .join(" ");

/** An `article` in a box introduces another story. */
const isSection = (box: DomElement): boolean =>
  contains(box, headingNames) &&
  !contains(box, "article") &&
  proseLength(box) >= minProse &&
  linkDensity(box) < mostlyLinks;

/** Characters. */
const minProse = 25;
const mostlyLinks = 0.6;
