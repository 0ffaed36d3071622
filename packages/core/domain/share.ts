// SPDX-License-Identifier: MIT

import { randomBytes } from "node:crypto";
import type { UserClock } from "./user-clock.ts";

/** The content of a share: the saved article of an item, or the newest items of a tag. */
export type ShareTarget =
  /** `timeAdded`: `findBelongingsTime` of the item, so that the share ends with a purge. */
  { kind: "item"; itemId: string; timeAdded: number } | { kind: "tag"; tag: string };

/** A public address of one article or one tag (docs/api.md 4.17). Times are Unix seconds. */
export interface Share {
  /** Names the share to its user and to administrators; it does not give access to it. */
  id: string;
  /** The secret part of the address. */
  token: string;
  /** A later user with the same name does not have it. */
  userId: string;
  target: ShareTarget;
  createdAt: number;
  /** When the user last said that it is public; a restore of a backup switches older shares off. */
  confirmedAt: number;
  /** Undefined if it never expires. */
  expiresAt: number | undefined;
}

/** Shares of one user at most. */
export const maxShares = 200;

/** Items that the page of a tag shows. */
export const sharedItems = 100;

/** Starts a share at `now`. The token has 128 random bits. */
export const createShare = (
  userId: string,
  target: ShareTarget,
  clock: UserClock,
  now: number,
  expiresAt?: number,
): Share => ({
  id: randomBytes(6).toString("hex"),
  token: randomBytes(16).toString("base64url"),
  userId,
  target,
  createdAt: now,
  confirmedAt: confirmedAt(clock, now),
  expiresAt,
});

/** The time of a confirmation at `now`: later than a restore that reaches some minutes ahead. */
export const confirmedAt = ({ firstSyncUpTo = 0 }: UserClock, now: number): number => Math.max(now, firstSyncUpTo + 1);

/** Whether its user has confirmed a share since the list was restored from a backup. */
export const isConfirmed = (share: Share, { firstSyncUpTo = 0 }: UserClock): boolean =>
  share.confirmedAt > firstSyncUpTo;

/** The order of lists of shares: the oldest first. */
export const byCreation = (one: Share, other: Share): number =>
  one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1);

export const isExpired = ({ expiresAt }: Share, now: number): boolean => expiresAt !== undefined && expiresAt <= now;

/** Whether two shares show the same. */
export const showsSame = (one: ShareTarget, other: ShareTarget): boolean =>
  one.kind === "item"
    ? other.kind === "item" && one.itemId === other.itemId && one.timeAdded === other.timeAdded
    : other.kind === "tag" && one.tag === other.tag;
