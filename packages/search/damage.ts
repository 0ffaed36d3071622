// SPDX-License-Identifier: MIT

import path from "node:path";

/** The suffix of each index's name. */
export const suffix = ".db";

/** The file of a user's index. */
export const pathOfIndex = (folder: string, userId: string): string =>
  path.join(folder, `${encodeURIComponent(userId)}${suffix}`);

/** SQLite's code of an error, without the details; undefined if the error is another one. */
export function readResultCode(error: unknown): number | undefined {
  const { errcode } = error as { errcode?: number };
  return errcode === undefined ? undefined : errcode & 0xff;
}

/** SQLite's codes for faults of the machine, not of a file: disk, memory, locks, permissions. */
const faultsOfMachine = new Set([3, 5, 6, 7, 8, 9, 10, 12, 13, 14, 15, 22, 23]);

/**
 * Whether a file cannot be read or changed as the program needs it, for any reason: an index is rebuilt from the
 * list, so a needless time costs less than an index that stays broken.
 */
export function isDamage(error: unknown): boolean {
  const code = readResultCode(error);
  return code !== undefined && !faultsOfMachine.has(code);
}
