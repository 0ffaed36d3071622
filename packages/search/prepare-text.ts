// SPDX-License-Identifier: MIT

import { fold } from "@reading-list/core/domain/fold.ts";
import { unspaced } from "@reading-list/core/domain/search-words.ts";

const unspacedRun = new RegExp(`[${unspaced}]+`, "gu");

/** The pairs of neighbouring characters of a run: any part of it is a phrase of them. */
export function splitIntoPairs(run: string): string[] {
  const characters = [...run];
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}

/** A text as it is indexed: folded, with the runs of an unspaced script as pairs, and the last character. */
export const prepareText = (text: string): string =>
  fold(text).replace(unspacedRun, (run) => ` ${[...splitIntoPairs(run), [...run].at(-1)].join(" ")} `);
