// SPDX-License-Identifier: MIT

import { type BlockBreak, BreakList, countBreaks } from "@reading-list/core/domain/block-breaks.ts";
import { type Passage, type SearchableText, searchableTextInParts } from "@reading-list/core/domain/visible-text.ts";

interface Part {
  node: Text;
  start: number;
  /** Belongs to a figure with an image, kept or missing, which the view without images does not have. */
  isOfImage: boolean;
}

/** The text of an article, as its joined text nodes, and the way back to them. */
export class TextMap {
  readonly text: string;
  readonly breaks: readonly BlockBreak[];
  readonly #parts: readonly Part[];
  readonly #partsOfImages: readonly Part[];
  #searchable: Promise<SearchableText> | undefined;

  constructor(root: Element) {
    const parts: Part[] = [];
    const blocks = new BreakList();
    const pictures = new Set(
      [...root.querySelectorAll("figure")].filter((figure) => figure.querySelector("img, .missing")),
    );
    let start = 0;
    let text = "";
    const mark = (node: Node) => {
      if (node.nodeType === 1) blocks.add(start, (node as Element).localName);
    };
    // Without recursion: a page may nest its elements deeper than a browser nests calls.
    for (let node: Node = root; ; node = node.nextSibling as Node) {
      for (; node.firstChild; node = node.firstChild) mark(node);
      if (node.nodeType === 3) {
        const { data, parentElement } = node as Text;
        const figure = pictures.size > 0 ? parentElement?.closest("figure") : undefined;
        parts.push({ node: node as Text, start, isOfImage: figure ? pictures.has(figure) : false });
        text += data;
        start += data.length;
      } else mark(node);
      for (; node !== root && !node.nextSibling; node = node.parentNode as Node) mark(node);
      mark(node);
      if (node === root) break;
    }
    this.breaks = blocks.breaks;
    this.#parts = parts;
    this.#partsOfImages = parts.filter(({ isOfImage }) => isOfImage);
    this.text = text;
  }

  get searchable(): Promise<SearchableText> {
    this.#searchable ??= searchableTextInParts(this.text);
    return this.#searchable;
  }

  /** UTF-16 units before a boundary of a range. */
  findOffset(container: Node, offset: number): number {
    if (container.nodeType === 3) return (this.#findPart(container)?.start ?? 0) + offset;
    // Between two children: the first text behind the boundary.
    const range = container.ownerDocument?.createRange();
    range?.setStart(container, offset);
    const next = this.#parts.find(({ node }) => range && range.comparePoint(node, 0) >= 0);
    return next?.start ?? this.text.length;
  }

  toRange({ start, end }: Passage): Range | undefined {
    const [first, last] = [this.#partAt(start), this.#partAt(end - 1)];
    if (!first || !last) return undefined;
    const range = first.node.ownerDocument.createRange();
    range.setStart(first.node, start - first.start);
    range.setEnd(last.node, Math.min(end - last.start, last.node.data.length));
    return range;
  }

  /** The text of a passage, one range for each text node: a range over elements would cover the pictures between them. */
  toTextRanges({ start, end }: Passage): Range[] {
    const ranges: Range[] = [];
    for (let i = this.#indexAt(start); i < this.#parts.length; i++) {
      const { node, start: from } = this.#parts[i] as Part;
      if (from >= end) break;
      const range = node.ownerDocument.createRange();
      range.setStart(node, Math.max(start - from, 0));
      range.setEnd(node, Math.min(end - from, node.data.length));
      ranges.push(range);
    }
    return ranges;
  }

  /** The place of an element's text. */
  toPassage(element: Element): Passage {
    const walker = element.ownerDocument.createTreeWalker(element, 4);
    const start = this.#findPart(walker.nextNode())?.start ?? 0;
    return { start, end: start + (element.textContent ?? "").length };
  }

  elementAt(offset: number): Element | null {
    return this.#partAt(Math.min(offset, this.text.length - 1))?.node.parentElement ?? null;
  }

  /** The place of a character in the view without images, which positions of highlights count in. */
  toPosition(offset: number): number {
    return offset - this.#ofImagesBefore((part) => part.start < offset, offset);
  }

  /** The reverse of `positionOf`. */
  offsetAt(position: number): number {
    let skipped = 0;
    for (const { node, start } of this.#partsOfImages) {
      if (start - skipped > position) break;
      skipped += node.data.length;
    }
    return position + skipped;
  }

  #ofImagesBefore(isBefore: (part: Part) => boolean, offset: number): number {
    let sum = 0;
    for (const part of this.#partsOfImages) {
      if (!isBefore(part)) break;
      sum += Math.min(part.node.data.length, offset - part.start);
    }
    return sum;
  }

  #findPart(node: Node | null): Part | undefined {
    return this.#parts.find((part) => part.node === node);
  }

  #partAt(offset: number): Part | undefined {
    return this.#parts[this.#indexAt(offset)];
  }

  #indexAt(offset: number): number {
    let [first, last] = [0, this.#parts.length - 1];
    while (first < last) {
      const middle = Math.ceil((first + last) / 2);
      if ((this.#parts[middle]?.start ?? 0) <= offset) first = middle;
      else last = middle - 1;
    }
    return first;
  }
}

/** UTF-16 units of the quotation of a highlight. */
const maxQuote = 10_000;

/** A passage without the white space at its ends, as long as the quotation of a highlight may be; undefined if it is empty. */
export function trimmed({ start, end }: Passage, map: TextMap): Passage | undefined {
  const longest = { start, end: start + maxQuote };
  // The quotation has a separator at each break.
  longest.end -= countBreaks(map.breaks, longest);
  const last = Math.min(end, longest.end);
  const quote = map.text.slice(start, last);
  const passage = {
    start: start + quote.length - quote.trimStart().length,
    end: last - quote.length + quote.trimEnd().length,
  };
  return passage.end > passage.start ? passage : undefined;
}
