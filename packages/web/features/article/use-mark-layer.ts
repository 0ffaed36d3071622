// SPDX-License-Identifier: MIT

import { newHighlightId } from "@reading-list/client/main.ts";
import { isPageNote } from "@reading-list/core/domain/highlight-fields.ts";
import { findQuotations, quotationAt } from "@reading-list/core/domain/quotation.ts";
import type { Passage } from "@reading-list/core/domain/visible-text.ts";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Mark, MarkColor } from "../../data/marks.ts";
import { markAt, type Passages, paintMarks } from "./paint-marks.ts";
import { type TextMap, trimmed } from "./text-map.ts";

/** A loaded article in its frame. */
export interface ShownText {
  content: Document;
  map: TextMap;
  frame: HTMLIFrameElement;
  /** The next place on the screen is not one to which the user has read. */
  rest(): void;
}

/** Text that the user has selected. */
interface Selected {
  passage: Passage;
  /** Pixels from the top left of the page to the middle of its first line. */
  top: number;
  left: number;
}

interface MarkLayer {
  /** undefined until they are looked for. */
  passages: Passages | undefined;
  selected: Selected | undefined;
  /** A mark of the text, which is not stored yet. */
  createMark(passage: Passage, color: MarkColor): Mark;
  /** Ends the selection. */
  clear(): void;
}

/** Milliseconds after which a selection that grows under the finger is looked at. */
const afterSelecting = 150;

/** Finds marks in the text of an article, paints them, and follows the selection and clicks of the user. */
export function useMarkLayer(
  url: string,
  text: ShownText | undefined,
  marks: readonly Mark[],
  onClick: (mark: Mark) => void,
): MarkLayer {
  const [found, setFound] = useState<{ map: TextMap; passages: Passages }>();
  const [selected, setSelected] = useState<Selected>();
  const passages = text && found?.map === text.map ? found.passages : undefined;
  const current = useRef({ marks, passages, onClick });
  current.current = { marks, passages, onClick };

  useEffect(() => {
    if (!text) return;
    let isCurrent = true;
    const { map } = text;
    const known = found?.map === map ? found.passages : new Map<string, Passage | undefined>();
    const sought = marks.filter((mark) => !known.has(mark.id) && !isPageNote(mark));
    const quotations = sought.map((mark) => ({
      ...mark,
      position: mark.position === undefined ? undefined : map.offsetAt(mark.position),
    }));
    const search = async () => findQuotations(await map.searchable, quotations);
    void search().then((places) => {
      if (!isCurrent) return;
      const all = new Map(known);
      for (const [i, { id }] of sought.entries()) all.set(id, places[i]);
      setFound({ map, passages: all });
    });
    return () => {
      isCurrent = false;
    };
  }, [text, marks]);

  useEffect(() => {
    if (text && passages) paintMarks(text.content, text.map, marks, passages);
  }, [text, marks, passages]);

  useEffect(() => {
    if (!text) return;
    const { content, map, frame } = text;
    let timer: number | undefined;
    const look = () => {
      const selection = content.getSelection();
      const range =
        selection && !selection.isCollapsed && selection.rangeCount > 0 ? selection.getRangeAt(0) : undefined;
      setSelected(range && selectedIn(range, map, frame));
    };
    const follow = () => {
      clearTimeout(timer);
      timer = window.setTimeout(look, afterSelecting);
    };
    const click = (event: MouseEvent) => {
      const { marks: shown, passages: places } = current.current;
      if (!places || (event.target as Element | null)?.closest?.("a") || !content.getSelection()?.isCollapsed) return;
      const mark = markAt(event, map, shown, places);
      if (mark) current.current.onClick(mark);
    };
    content.addEventListener("selectionchange", follow);
    content.addEventListener("click", click);
    return () => {
      clearTimeout(timer);
      content.removeEventListener("selectionchange", follow);
      content.removeEventListener("click", click);
    };
  }, [text]);

  return {
    passages,
    selected: text && selected,
    createMark(passage, color) {
      const { quote, prefix, suffix } = quotationAt(text?.map.text ?? "", passage, text?.map.breaks ?? []);
      const position = text?.map.toPosition(passage.start);
      return { id: newHighlightId(), url, quote, prefix, suffix, position, color, note: "", timeCreated: new Date() };
    },
    clear() {
      text?.content.getSelection()?.removeAllRanges();
      setSelected(undefined);
    },
  };
}

/** The text of a range without the white space at its ends. */
function selectedIn(range: Range, map: TextMap, frame: HTMLIFrameElement): Selected | undefined {
  const start = map.findOffset(range.startContainer, range.startOffset);
  const passage = trimmed({ start, end: map.findOffset(range.endContainer, range.endOffset) }, map);
  if (!passage) return undefined;
  const line = range.getClientRects()[0] ?? range.getBoundingClientRect();
  const { top, left } = frame.getBoundingClientRect();
  return { passage, top: scrollY + top + line.top, left: left + (line.left + line.right) / 2 };
}
