import { stateKey } from "../account/session.ts";

/** A place in an article, which stays the same with another font or width. */
export interface Position {
  /** Number of the paragraph, or other block, at the top of the screen. */
  block: number;
  /** The share of it that is above. */
  share: number;
}

const blocks = "p, li, h1, h2, h3, h4, h5, h6, pre, figure, tr, dt, dd";

/** What is at a height of the screen; undefined if the article begins below it. */
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
  return { block: first, share: Math.min(1, Math.max(0, share)) };
}

/** Scrolls a position to a height of the screen. */
export function scrollToPosition({ block, share }: Position, line: number, frame: HTMLIFrameElement): void {
  const all = [...(frame.contentDocument?.querySelectorAll(blocks) ?? [])];
  const rectangle = (all[block] ?? all.at(-1))?.getBoundingClientRect();
  if (!rectangle) return;
  const top = frame.getBoundingClientRect().top + rectangle.top + share * rectangle.height;
  scrollBy({ top: top - line, behavior: "instant" });
}

/** Signing out removes it. */
const key = `${stateKey}.positions`;
const mostPositions = 300;

type Remembered = [url: string, position: Position][];

function remembered(): Remembered {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "[]");
  } catch {
    return [];
  }
}

export const recall = (url: string): Position | undefined => remembered().find(([known]) => known === url)?.[1];

/** Stores the position in an article; none if it is its beginning. */
export function remember(url: string, position: Position | undefined): void {
  const others = remembered().filter(([known]) => known !== url);
  const all: Remembered = position ? [[url, position], ...others] : others;
  localStorage.setItem(key, JSON.stringify(all.slice(0, mostPositions)));
}
