// SPDX-License-Identifier: MIT

import { findFirst } from "@reading-list/core/domain/binary-search.ts";

/** More new values than this are not put into their places one by one. */
const maxNew = 100;

/**
 * Selects and sorts the values of lists that follow one another, such as a list before and after a change, as a filter and
 * a stable sort do. If a list differs from the last one only in few values beside each other, only these are moved.
 */
export function keepSorted<T>(
  isWanted: (value: T) => boolean,
  compare: (one: T, other: T) => number,
): (values: readonly T[]) => readonly T[] {
  let last: readonly T[] = [];
  let sorted: readonly T[] = [];
  return (values) => {
    const shorter = Math.min(last.length, values.length);
    let start = 0;
    while (start < shorter && last[start] === values[start]) start++;
    let end = 0;
    while (end < shorter - start && last.at(-1 - end) === values.at(-1 - end)) end++;
    const gone = new Set(last.slice(start, last.length - end));
    const come = values.slice(start, values.length - end).filter(isWanted);
    last = values;
    if (come.length > maxNew) sorted = values.filter(isWanted).sort(compare);
    else if (gone.size + come.length > 0) {
      const next = sorted.filter((value) => !gone.has(value));
      for (const value of come) {
        const isBefore = (index: number) => {
          const other = next[index] as T;
          return (compare(other, value) || values.indexOf(other) - values.indexOf(value)) < 0;
        };
        next.splice(findFirst(0, next.length, isBefore), 0, value);
      }
      sorted = next;
    }
    return sorted;
  };
}
