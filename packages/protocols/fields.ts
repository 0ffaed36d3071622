// SPDX-License-Identifier: MIT

import { title as titleField, webUrl } from "@reading-list/core/contract/fields.ts";
import { cutText, maxLengths } from "@reading-list/core/domain/page-fields.ts";
import { parseSearch, SearchError } from "@reading-list/core/domain/search-query.ts";
import * as z from "zod";

/** Fields of the requests of other services' APIs: forms and query strings have text where JSON has other types. */

const emptyAsAbsent = (value: unknown) => (value === "" || value === null ? undefined : value);

export const optional = <Field extends z.ZodType>(field: Field) => z.preprocess(emptyAsAbsent, field.optional());

export const flag = optional(
  z
    .union(
      [z.boolean(), z.literal([0, 1]), z.enum(["0", "1", "true", "false", "on", "off"])],
      "must be 1 or 0, or true or false",
    )
    .transform((value) => ["1", "true", "on"].includes(String(value))),
);

export const text = optional(z.string("must be a text"));

/** Words that a person searches for, with the filters of `search` (docs/api.md 4.15). */
export const searchWords = z
  .string("must be one text")
  .max(500, "must be at most 500 characters")
  .superRefine((value, context) => {
    try {
      parseSearch(value);
    } catch (error) {
      if (!(error instanceof SearchError)) throw error;
      context.addIssue({ code: "custom", message: error.message });
    }
  });

export const search = optional(searchWords);

/** One text or several, as a query string has it. */
export const texts = optional(
  z.union([z.string().transform((each) => [each]), z.array(z.string()).max(10_000)], "must be a list of texts"),
);

export const url = webUrl;

/** A title; a longer one is cut. */
export const title = optional(
  z.preprocess(
    (value) =>
      typeof value === "string" ? cutText(value.replaceAll("\0", "").toWellFormed(), maxLengths.title) : value,
    titleField,
  ),
);

/** A tag cannot contain a comma. */
export const label = z.string("is missing").transform((value) => value.replaceAll(/[\s,\0]+/g, " ").trim());

/**
 * Seconds that a time of a client is read as earlier: many name the time of their own clock at their last sync, which may
 * be ahead of ours, and of the answer that they got. What they have seen already is listed again.
 */
export const clockMarginSeconds = 60;
