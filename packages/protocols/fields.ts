// SPDX-License-Identifier: MIT

import * as z from "@reading-list/core/contract/bounded.ts";
import { emptyAsAbsent, textUpTo, title as titleField, webUrl } from "@reading-list/core/contract/fields.ts";
import { highlightLengths } from "@reading-list/core/domain/highlight-fields.ts";
import { cutText, maxLengths } from "@reading-list/core/domain/page-fields.ts";
import { parseSearch, SearchError } from "@reading-list/core/domain/search-query.ts";

/** Fields of the requests of other services' APIs: forms and query strings have text where JSON has other types. */

/** Characters of a text that is cut or ignored when it is long. */
export const uncutText = 20_000;
/** Characters of a page, which may fill the body. */
export const pageText = z.longestBody;

export const optional = <Field extends z.ZodType>(field: Field) => z.preprocess(emptyAsAbsent, field.optional());

export const flag = optional(
  z
    .union(
      [z.boolean(), z.literal([0, 1]), z.enum(["0", "1", "true", "false", "on", "off"])],
      "must be 1 or 0, or true or false",
    )
    .transform((value) => ["1", "true", "on"].includes(String(value))),
);

/** A whole number of up to 15 digits, also as text. */
export const wholeNumber = optional(
  z
    .union([z.int(), z.string(15).regex(/^\d{1,15}$/, "must be a whole number")], "must be a whole number")
    .transform(Number)
    .refine((value) => value >= 0, "must be a whole number"),
);

/** A text of up to `max` characters. */
export const text = (max: number) => optional(z.string(max, "must be a string"));

/** Adds the fault of a search, if it has one. */
export function checkSearch(words: string, { addIssue }: { addIssue(message: string): void }): void {
  try {
    parseSearch(words);
  } catch (error) {
    if (!(error instanceof SearchError)) throw error;
    addIssue(error.message);
  }
}

/** Words that a person searches for, with the filters of `search` (docs/api.md 4.15). */
export const searchWords = z.string(500, "must be a single string").superRefine(checkSearch);

export const search = optional(searchWords);

/** A text of ASCII of up to `max` characters. */
export const ascii = (max: number) => optional(z.ascii(max, "must be a string"));

/** Values that a request can have: JSON and forms hold no more. */
const mostValues = 1000;

/** One text or several, as a query string has it, of up to `max` characters each. */
export const texts = (max: number, most = mostValues) =>
  optional(
    z.union(
      [z.string(max).transform((each) => [each]), z.array(z.string(max), most)],
      `must be a list of strings of up to ${max} characters`,
    ),
  );

export const url = webUrl;

/** A title; a longer one is cut. */
export const title = optional(
  z
    .string(uncutText, "must be a string")
    .transform((value) => cutText(value.replaceAll("\0", "").toWellFormed(), maxLengths.title))
    .pipe(titleField),
);

/** A tag cannot contain a comma. */
export const label = z
  .string(maxLengths.tags, "is missing")
  .transform((value) => value.replaceAll(/[\s,\0]+/g, " ").trim());

/** The tags of a page: one, or a list. */
export const labels = optional(
  z.union(
    [label.transform((each) => [each]), z.arrayUpTo(maxLengths.tags, label, 100)],
    "must be a list of up to 100 strings",
  ),
);

/** The note on a page; an empty one deletes it. */
export const pageNote = textUpTo(highlightLengths.note)
  .nullish()
  .transform((value) => value ?? undefined);

/**
 * Seconds that are subtracted from a client's time: many clients send the time of their own clock at their last sync,
 * which may be ahead of the service's clock and of the answer. So the service lists some changes again.
 */
export const clockMarginSeconds = 60;
