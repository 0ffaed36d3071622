// SPDX-License-Identifier: MIT

import type { Progress } from "@reading-list/client/main.ts";
import { readStoredJson, stateKey, store } from "../kit/browser-storage.ts";

/** A place in an article, which stays the same with another font or width. */
export interface Position {
  /** Number of the paragraph, or other block, at the top of the screen. */
  block: number;
  /** The share of it that is above. */
  share: number;
}

interface Remembered extends Position {
  /** The progress of the item that this device knew then: another one is of another device. */
  known?: Progress | undefined;
}

/** Signing out removes it. */
const key = `${stateKey}.positions`;
const maxPositions = 300;

type Entry = [url: string, position: Remembered];

const remembered = () => readStoredJson<Entry[]>(key, []);

/** The position at which this device left an article, unless another device has read it since. */
export function recall(url: string, progress: Progress | undefined): Position | undefined {
  const [, position] = remembered().find(([known]) => known === url) ?? [];
  return progress && !isSame(position?.known, progress) ? undefined : position;
}

/** Stores the position in an article; none if it is its beginning. */
export function remember(url: string, position: Position | undefined, known: Progress | undefined): void {
  const others = remembered().filter(([known]) => known !== url);
  const all: Entry[] = position ? [[url, { ...position, known }], ...others] : others;
  store(key, JSON.stringify(all.slice(0, maxPositions)));
}

const isSame = (one: Progress | undefined, other: Progress) =>
  one?.percent === other.percent && one.anchor === other.anchor;
