// SPDX-License-Identifier: MIT

import { readStoredJson, stateKey, store } from "../kit/browser-storage.ts";

/** A place in an article, which stays the same with another font or width. */
export interface Position {
  /** Number of the paragraph, or other block, at the top of the screen. */
  block: number;
  /** The share of it that is above. */
  share: number;
  /** The share of the article that is above the end of the screen; absent if an older version has stored it. */
  progress?: number;
}

/** Signing out removes it. */
const key = `${stateKey}.positions`;
const maxPositions = 300;

type Remembered = [url: string, position: Position][];

const remembered = () => readStoredJson<Remembered>(key, []);

export const recall = (url: string): Position | undefined => remembered().find(([known]) => known === url)?.[1];

/** The shares, of 1, that are read of the articles that were opened. */
export const readShares = (): ReadonlyMap<string, number> =>
  new Map(remembered().map(([url, { progress = 0 }]) => [url, progress]));

/** Stores the position in an article; none if it is its beginning. */
export function remember(url: string, position: Position | undefined): void {
  const others = remembered().filter(([known]) => known !== url);
  const all: Remembered = position ? [[url, position], ...others] : others;
  store(key, JSON.stringify(all.slice(0, maxPositions)));
}
