// SPDX-License-Identifier: MIT

import { createHash } from "node:crypto";
import type { ListQuery } from "./list-query.ts";
import { walkSeconds } from "./walks.ts";

/**
 * The items of a query when an app fetched page 1, in their order then. Apps of other services page by offset: without it,
 * a change between two pages would make an app skip items (docs/decisions/pages-and-deletions.md).
 */
export interface ListSnapshot {
  /** Unix seconds. */
  startedAt: number;
  /** The revision of the list at page 1. */
  revision: number;
  /** The number of its items. */
  total: number;
  /** The ids of all items; in a snapshot that the store found, the ids of one page. */
  itemIds: readonly string[];
}

/** Maximum snapshots that are remembered for one sign-in. */
export const maxSnapshots = 4;

/** The name of a query's snapshot: pages of any size belong to one. */
export const nameQuery = ({ offset: _, limit: __, ...query }: ListQuery): string =>
  createHash("sha256").update(JSON.stringify(query)).digest("base64url").slice(0, 22);

export const isUnderWay = ({ startedAt }: ListSnapshot, now: number): boolean =>
  startedAt <= now && now < startedAt + walkSeconds;

const bytesOfId = 8;

/** Item ids as 8 bytes each. */
export const packIds = (ids: readonly string[]): Uint8Array => {
  const bytes = Buffer.alloc(ids.length * bytesOfId);
  ids.forEach((id, position) => void bytes.writeBigUInt64BE(BigInt(id), position * bytesOfId));
  return bytes;
};

export const unpackIds = (bytes: Uint8Array): string[] => {
  const { buffer, byteOffset, length } = bytes;
  const view = new DataView(buffer, byteOffset, length);
  return Array.from({ length: length / bytesOfId }, (_, position) => String(view.getBigUint64(position * bytesOfId)));
};
