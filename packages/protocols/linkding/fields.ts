// SPDX-License-Identifier: MIT

import * as z from "@reading-list/core/contract/bounded.ts";
import { clockMarginSeconds, optional, wholeNumber } from "../fields.ts";

export { flag, labels, pageNote, title, url } from "../fields.ts";

/** A number without an item does not belong to any bookmark. */
export const id = z.string(100).transform((value) => (/^\d{1,15}$/.test(value) ? Number(value) : 0));

/** Entries of a page, if the app does not say, and at most. */
const defaultLimit = 100;
const maxLimit = 5000;

export const limit = wholeNumber.transform((wanted) => Math.min(wanted || defaultLimit, maxLimit));
export const offset = wholeNumber.transform((wanted = 0) => wanted);

/** A time in ISO 8601, in Unix seconds; linkding ignores anything else, too. */
const time = optional(
  z.string(100, "must be a time in ISO 8601").transform((value) => {
    const seconds = Date.parse(value) / 1000;
    return Number.isFinite(seconds) ? Math.floor(seconds) : undefined;
  }),
);

/** A time after which changes are asked for: the app's clock may be ahead of ours. */
export const modifiedSince = time.transform((value) => value && Math.max(0, value - clockMarginSeconds));
export const addedSince = time.transform((value) => value && value + 1);
export const dateAdded = time;

/** `yes` or `no`; anything else means no condition. */
export const choice = optional(z.string(20, "must be yes, no or off"));

const sorts = {
  added_asc: { by: "added", descending: false },
  added_desc: { by: "added", descending: true },
  modified_asc: { by: "content", descending: false },
  modified_desc: { by: "content", descending: true },
  title_asc: { by: "title", descending: false },
  title_desc: { by: "title", descending: true },
} as const;

export const sort = optional(
  z.enum(Object.keys(sorts) as (keyof typeof sorts)[], "is not a sort order of bookmarks"),
).transform((name = "added_desc") => sorts[name]);

/** A flag of the query string, which counts whatever its value. */
export const presence = z
  .string(100)
  .optional()
  .transform((value) => value !== undefined);
