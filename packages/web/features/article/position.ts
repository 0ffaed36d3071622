// SPDX-License-Identifier: MIT

import type { Position } from "../../data/positions.ts";

const blocks = "p, li, h1, h2, h3, h4, h5, h6, pre, figure, tr, dt, dd";

/** The position at a height of the screen; undefined if the article begins below it. */
export function positionAt(line: number, frame: HTMLIFrameElement): Position | undefined {
  const all = [...(frame.contentDocument?.querySelectorAll(blocks) ?? [])];
  const top = frame.getBoundingClientRect().top;
  if (all.length === 0 || top >= line) return undefined;
  // Binary search for the last block that begins above the line.
  let [first, last] = [0, all.length - 1];
  while (first < last) {
    const middle = Math.ceil((first + last) / 2);
    if (top + (all[middle]?.getBoundingClientRect().top ?? 0) <= line) first = middle;
    else last = middle - 1;
  }
  const { top: offset = 0, height = 0 } = all[first]?.getBoundingClientRect() ?? {};
  const share = height > 0 ? (line - top - offset) / height : 0;
  const progress = Math.min(1, (innerHeight - top) / frame.clientHeight);
  return { block: first, share: Math.min(1, Math.max(0, share)), progress };
}

/** Scrolls a position to a height of the screen. */
export function scrollToPosition({ block, share }: Position, line: number, frame: HTMLIFrameElement): void {
  const all = [...(frame.contentDocument?.querySelectorAll(blocks) ?? [])];
  const rectangle = (all[block] ?? all.at(-1))?.getBoundingClientRect();
  if (!rectangle) return;
  const top = frame.getBoundingClientRect().top + rectangle.top + share * rectangle.height;
  scrollBy({ top: top - line, behavior: "instant" });
}
