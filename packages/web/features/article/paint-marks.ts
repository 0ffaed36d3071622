// SPDX-License-Identifier: MIT

import type { Passage } from "@reading-list/core/domain/visible-text.ts";
import { type Mark, markColors } from "../../data/marks.ts";
import type { TextMap } from "./text-map.ts";

/** Passages by id of the mark; a mark that is not found has none. */
export type Passages = ReadonlyMap<string, Passage | undefined>;

/**
 * Paints marks in the frame of an article. Its document stays as it is: the highlights belong to its own window,
 * because the registry of another window paints nothing.
 */
export function paintMarks(content: Document, map: TextMap, marks: readonly Mark[], passages: Passages): void {
  const view = content.defaultView;
  const registry = view?.CSS.highlights;
  if (!view || !registry) return;
  const listRanges = (some: readonly Mark[]) =>
    joined(some.flatMap(({ id }) => passages.get(id) ?? [])).flatMap((passage) => map.toTextRanges(passage));
  const paint = (name: string, some: readonly Mark[]) =>
    registry.set(`mark-${name}`, new Highlight(...listRanges(some)));
  for (const name of markColors) {
    paint(
      name,
      marks.filter(({ color }) => color === name),
    );
  }
  paint(
    "note",
    marks.filter(({ note }) => note),
  );
}

/** Passages without overlaps: of two ranges of one highlight that overlap, Firefox leaves the end of the longer one out. */
function joined(passages: readonly Passage[]): Passage[] {
  const all: Passage[] = [];
  for (const { start, end } of passages.toSorted((a, b) => a.start - b.start)) {
    const last = all.at(-1);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else all.push({ start, end });
  }
  return all;
}

/** The highlight at a point of the frame; of several, the newest. */
export function markAt(
  { x, y }: { x: number; y: number },
  map: TextMap,
  marks: readonly Mark[],
  passages: Passages,
): Mark | undefined {
  return marks.find(({ id }) => {
    const passage = passages.get(id);
    const rectangles = passage ? map.toTextRanges(passage).flatMap((range) => [...range.getClientRects()]) : [];
    return rectangles.some(({ left, right, top, bottom }) => x >= left && x <= right && y >= top && y <= bottom);
  });
}
