// SPDX-License-Identifier: MIT

import * as fields from "@reading-list/core/contract/fields.ts";
import { daysOfLink } from "@reading-list/core/domain/operator-link.ts";
import { InvalidArgumentError } from "commander";

export function parseUsername(value: string): string {
  const result = fields.username.safeParse(value);
  if (!result.success) throw new InvalidArgumentError(`It ${result.error.issues[0]?.message}.`);
  return value;
}

const parseWhole =
  (least: number) =>
  (value: string): number => {
    if (!/^\d{1,9}$/.test(value) || Number(value) < least) {
      throw new InvalidArgumentError(`It must be a whole number, ${least} or more.`);
    }
    return Number(value);
  };

/** A time in UTC as unix seconds. */
export function parseTime(value: string): number {
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(time)) throw new InvalidArgumentError("It must be a time in UTC, such as 2026-11-21T05:30:00Z.");
  return time / 1000;
}

/** Calls allowed in a window. */
export const parseLimit = parseWhole(0);
export const parseLimitOrDefault = (value: string): number | "default" =>
  value === "default" ? "default" : parseLimit(value);
/** A number of entries to show. */
export const parseCount = parseWhole(1);
/** Days for which a link works. */
export function parseDays(value: string): number {
  if (/^\d{1,2}$/.test(value) && Number(value) >= 1 && Number(value) <= daysOfLink.most) return Number(value);
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${daysOfLink.most}.`);
}
