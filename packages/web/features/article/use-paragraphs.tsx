// SPDX-License-Identifier: MIT

import { findFirst } from "@reading-list/core/domain/binary-search.ts";
import type { Passage } from "@reading-list/core/domain/visible-text.ts";
import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { barHeight, scrollInFrame } from "./position.ts";
import { type TextMap, trimmed } from "./text-map.ts";
import type { ShownText } from "./use-mark-layer.ts";

interface Paragraph {
  passage: Passage;
  element: HTMLElement;
}

interface Paragraphs {
  /** Moves the marker to the next or previous paragraph, and scrolls to it. */
  move(step: 1 | -1): void;
  /** The text of the paragraph with the marker; undefined if it is not on the screen. */
  current(): Passage | undefined;
  /** Reads the paragraph to users of a screen reader. */
  announcement: ComponentChildren;
}

/** Elements around one paragraph. Line breaks do not part one, and a row of a table is one. */
const blocks = "p, li, h1, h2, h3, h4, h5, h6, pre, tr, dt, dd, figcaption, caption, summary, blockquote, div, section";
/** The attribute of the element with the marker. */
const marker = "data-current";
/** Pixels between the bar and a paragraph below it. */
const gap = 16;

/**
 * A marker in the text of an article, which keys move by paragraphs. The focus stays in the page, because Safari sends no
 * events of a frame without scripts; a live region reads the paragraph instead.
 */
export function useParagraphs(text: ShownText | undefined): Paragraphs {
  const known = useRef<{ text: ShownText; all: readonly Paragraph[] } | undefined>(undefined);
  const marked = useRef<{ content: Document; index: number } | undefined>(undefined);
  const [read, setRead] = useState<HTMLElement>();
  const paragraphs = (): readonly Paragraph[] => {
    if (!text) return [];
    if (known.current?.text !== text) known.current = { text, all: findParagraphs(text.map) };
    return known.current.all;
  };
  /** The pixels that a paragraph takes from the top of the screen. */
  const measurePlace = ({ passage }: Paragraph) => {
    const { top = 0, height = 0 } = text?.map.toRange(passage)?.getBoundingClientRect() ?? {};
    const onScreen = (text?.frame.getBoundingClientRect().top ?? 0) + top;
    return { inFrame: top, top: onScreen, bottom: onScreen + height, height };
  };
  /** The index of the marker's paragraph, if it is on the screen. */
  const shownIndex = (): number | undefined => {
    const at = marked.current;
    const paragraph = at && at.content === text?.content ? paragraphs()[at.index] : undefined;
    if (!paragraph) return undefined;
    const { top, bottom } = measurePlace(paragraph);
    return bottom > barHeight && top < innerHeight ? at?.index : undefined;
  };
  /** The first paragraph that begins on the screen, or else the one that covers it. */
  const firstOnScreen = (all: readonly Paragraph[]): number => {
    const index = findFirst(0, all.length, (each) => measurePlace(all[each] as Paragraph).top < barHeight);
    const next = all[index];
    return next && measurePlace(next).top < innerHeight ? index : Math.max(0, index - 1);
  };

  return {
    move(step) {
      const all = paragraphs();
      const from = shownIndex();
      let index = from === undefined ? firstOnScreen(all) : from + step;
      // Not into closed details.
      while (all[index] && !all[index]?.element.checkVisibility()) index += step;
      const paragraph = all[index];
      if (!text || !paragraph) return;
      for (const element of text.content.querySelectorAll(`[${marker}]`)) element.removeAttribute(marker);
      paragraph.element.setAttribute(marker, "");
      marked.current = { content: text.content, index };
      setRead(paragraph.element);
      const { inFrame, top, bottom, height } = measurePlace(paragraph);
      const isShown = top >= barHeight + gap && bottom <= innerHeight - gap;
      const line = height < innerHeight / 2 ? innerHeight / 3 : barHeight + gap;
      if (!isShown) scrollInFrame(text.frame, inFrame, line);
    },
    current() {
      const index = shownIndex();
      return index === undefined ? undefined : paragraphs()[index]?.passage;
    },
    announcement: (
      <div class="hidden" role="status" lang={read?.closest<HTMLElement>("[lang]")?.lang}>
        {read?.textContent}
      </div>
    ),
  };
}

/** The paragraphs of an article, each without the white space at its ends. */
function findParagraphs(map: TextMap): Paragraph[] {
  const all: Paragraph[] = [];
  let start = 0;
  for (const at of [...map.breaks.map((each) => each.at), map.text.length]) {
    const passage = trimmed({ start, end: at }, map);
    start = at;
    const element = passage && map.elementAt(passage.start)?.closest<HTMLElement>(blocks);
    if (!element) continue;
    const last = all.at(-1);
    if (last?.element === element) last.passage = { start: last.passage.start, end: passage.end };
    else all.push({ passage, element });
  }
  return all;
}
