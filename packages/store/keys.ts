import { createHash } from "node:crypto";
import type { ItemState } from "@reading-list/core/domain/item.ts";

/** The only place where key strings are built. Numbers are padded so that they sort as text. */

const paddedTime = (seconds: number) => String(Math.min(seconds, 999_999_999_999)).padStart(12, "0");
const paddedId = (itemId: string) => itemId.padStart(19, "0");

/** API keys are kept as a hash only; they are random, so that a plain SHA-256 cannot be searched. */
export const hashOfApiKey = (apiKey: string) => createHash("sha256").update(apiKey).digest("hex");
export const hashedApiKeyKey = (keyHash: string) => ({ pk: `KEY#${keyHash}`, sk: "KEY" });
export const apiKeyKey = (apiKey: string) => hashedApiKeyKey(hashOfApiKey(apiKey));
/** Where an operator finds the keys of all applications, or of one. */
export const keyListing = "KEYS";
export const keyListingKey = (applicationId: string, keyHash: string) => ({
  pk: keyListing,
  sk: `${applicationId}#${keyHash}`,
});
export const userKey = (username: string) => ({ pk: `USER#${username}`, sk: "USER" });
/** What the sort key of every item begins with. */
export const itemPrefix = "ITEM#";
export const itemKey = (username: string, itemId: string) => ({
  pk: userKey(username).pk,
  sk: `${itemPrefix}${itemId}`,
});
export const windowKey = (applicationId: string, windowStart: number) => ({
  pk: `LIMIT#${applicationId}`,
  sk: paddedTime(windowStart),
});
/** The time at which a window begins, of its sort key. */
export const windowStartOf = (sk: string) => Number(sk);
export const guessKey = (username: string, source: string) => ({ pk: `GUESS#${username}`, sk: source });
export const maintenanceKey = { pk: "SETTING", sk: "MAINTENANCE" };
/** A record that never exists, on which permissions are tried. */
export const trialKey = { pk: "TRIAL", sk: "TRIAL" };

/** An item's place in the index: by state, then time, then id, so that a second's items have one order. */
export const listedAt = (state: ItemState, timeUpdated: number, itemId: string) =>
  `${state}#${paddedTime(timeUpdated)}#${paddedId(itemId)}`;

/** The bounds in the index of one state's items changed after `time`, both inclusive. */
export const listedAfter = (state: ItemState, time: number | undefined) => ({
  first: `${state}#${time === undefined ? "" : paddedTime(time + 1)}`,
  last: `${state}#~`,
});

/** The last key in the index that comes before an item's; a minus, before id 0, sorts before the digits. */
export const listedBelow = (state: ItemState, timeUpdated: number, itemId: string) =>
  listedAt(state, timeUpdated, String(BigInt(itemId) - 1n));
