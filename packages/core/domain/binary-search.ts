// SPDX-License-Identifier: MIT

/** The first whole number of `low` to `high` that `isBefore` does not accept, by binary search; `high` if it accepts all. */
export function findFirst(low: number, high: number, isBefore: (place: number) => boolean): number {
  let [from, to] = [low, high];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (isBefore(middle)) from = middle + 1;
    else to = middle;
  }
  return from;
}
