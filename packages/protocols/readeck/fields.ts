// SPDX-License-Identifier: MIT

import * as z from "@reading-list/core/contract/bounded.ts";
import { clockMarginSeconds, optional, pageText } from "../fields.ts";

export {
  ascii,
  flag,
  label,
  labels,
  pageNote,
  search,
  text,
  texts,
  title,
  uncutText,
  url,
  wholeNumber,
} from "../fields.ts";

/** A time from which on changes are asked for, in ISO 8601 (UTC without a zone) or unix seconds, less the margin. */
export const since = optional(
  z.string(60, "must be a time in ISO 8601").transform((value, context) => {
    const inUtc = /T[\d:.]+$/.test(value) ? `${value}Z` : value;
    const seconds = /^\d{1,11}$/.test(value) ? Number(value) : Date.parse(inUtc) / 1000;
    if (Number.isFinite(seconds)) return Math.max(0, Math.floor(seconds) - clockMarginSeconds);
    context.addIssue({ code: "custom", message: "must be a time in ISO 8601" });
    return z.NEVER;
  }),
);

/** A time in ISO 8601 or as a day, in unix seconds. */
export const time = optional(
  z.string(60, "must be a time in ISO 8601").transform((value, context) => {
    const time = Date.parse(value) / 1000;
    if (Number.isFinite(time)) return Math.floor(time);
    context.addIssue({ code: "custom", message: "must be a time in ISO 8601" });
    return z.NEVER;
  }),
);

const statuses = z.enum(["unread", "reading", "read"], "must be unread, reading or read");
export const readStatus = optional(z.union([statuses.transform((each) => [each]), z.array(statuses, 10)]));

export const percent = optional(
  z.union(
    [
      z.int().min(0).max(100),
      z
        .string(3)
        .regex(/^(\d\d?|100)$/, "must be a whole number from 0 to 100")
        .transform(Number),
    ],
    "must be a whole number from 0 to 100",
  ),
);
export const anchor = z.string(256).optional();

/** Characters of the id of a bookmark or an annotation; a longer id does not exist. */
export const idLength = 100;

/** An id without an item does not belong to any bookmark. */
export const id = z.string(idLength).transform((value) => (/^\d{1,16}$/.test(value) ? value : "0"));

/** A file, or several, of a multipart body. */
const file = z.object({ data: z.file(z.longestBody), location: z.string(8192).optional() });
/** A page as a text, or as a file. */
export const html = optional(
  z.union([z.string(pageText), file.transform(({ data }) => data.toString())], "must be a string"),
);
export const files = z.union([file.transform((each) => [each]), z.array(file, 1000)]).optional();
