// SPDX-License-Identifier: MIT

/** The values in parts of `size`. The last part may be smaller. */
export function splitList<T>(values: readonly T[], size: number): T[][] {
  const parts: T[][] = [];
  for (let start = 0; start < values.length; start += size) parts.push(values.slice(start, start + size));
  return parts;
}
