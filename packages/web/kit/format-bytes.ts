// SPDX-License-Identifier: MIT

import { language } from "./texts.ts";

const units = [
  ["gigabyte", 1e9],
  ["megabyte", 1e6],
  ["kilobyte", 1e3],
] as const;

/** Bytes in the largest unit that fits, such as `1.5 GB`. */
export function formatBytes(bytes: number): string {
  const [unit, size] = units.find(([, size]) => bytes >= size) ?? units[2];
  return new Intl.NumberFormat(language, { style: "unit", unit, maximumFractionDigits: 1 }).format(bytes / size);
}
