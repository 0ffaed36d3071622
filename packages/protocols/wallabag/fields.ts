// SPDX-License-Identifier: MIT

import * as z from "@reading-list/core/contract/bounded.ts";
import { fewFields, parseBoundedJson } from "@reading-list/core/contract/bounded-json.ts";
import { isLongerThan, maxLengths } from "@reading-list/core/domain/page-fields.ts";
import { normaliseTags, tagsIn } from "@reading-list/core/domain/tags.ts";
import { optional, pageText, text, uncutText } from "../fields.ts";

export { flag, search, text, texts, title, uncutText, url } from "../fields.ts";

/** A whole number, also as text. */
const integerFrom = (min: number) =>
  z
    .union([z.int(), z.string(30).regex(/^\d{1,30}$/, "must be a whole number")], "must be a whole number")
    .transform((value) => Math.min(Number(value), 1e12))
    .refine((value) => value >= min, `must be at least ${min}`);

export const page = optional(integerFrom(1));
/** The Python client sends 0 if its user does not say. */
export const perPage = optional(integerFrom(0));
export const time = optional(
  z
    // Android apps send fractions.
    .union([z.number(), z.string(60).regex(/^\d{1,30}(\.\d*)?$/, "must be a whole number")], "must be a whole number")
    .transform((value) => Math.min(Math.trunc(Number(value)), 1e12))
    .refine((value) => value >= 0, "must be at least 0"),
);

/** Bytes of a time in JSON; a longer one is odd. */
const bytesOfTime = 300;

/** A time as apps write it: ISO 8601, or Unix seconds. Any other value counts as absent: a save must not fail for it. */
export const date = z
  .unknown(bytesOfTime)
  .optional()
  .transform((value) => {
    const written = typeof value === "number" || typeof value === "string" ? String(value).slice(0, 100) : "";
    const time = /^\d{1,11}$/.test(written) ? Number(written) * 1000 : Date.parse(written);
    return Number.isFinite(time) ? new Date(time).toISOString() : undefined;
  });

/** Names, separated by commas, or an array of names. */
export const authors = z.preprocess(
  (value) => (Array.isArray(value) ? value.filter((each) => typeof each === "string").join(",") : value),
  text(uncutText),
);

/** One of some words, in any case. */
export const oneOfAnyCase = <const T extends readonly string[]>(values: T) =>
  optional(
    z.preprocess(
      (value) => (typeof value === "string" ? value.slice(0, 100).toLowerCase() : value),
      z.enum(values, { error: `must be ${values.join(" or ")}` }),
    ),
  );

/** Characters of tags with blanks and repetitions, which are left out. */
const rawTags = 4 * maxLengths.tags;

/** Tags: separated by commas, or an array. */
export const tags = z
  .union(
    [z.string(rawTags), z.arrayUpTo(maxLengths.tags, z.string(maxLengths.tags), 1000)],
    "must be tags, separated by commas",
  )
  .nullish()
  .transform((value) =>
    value === null || value === undefined ? undefined : normaliseTags(String(value).replaceAll("\0", "")),
  )
  .refine(
    (value = "") => !isLongerThan(value, maxLengths.tags),
    `must be at most ${maxLengths.tags} characters together`,
  )
  .transform((value) => (value === undefined ? undefined : tagsIn(value)));

/** A page's HTML, as the person sees it. */
export const content = optional(z.string(pageText, "must be HTML"));

/** The number of an entry, also with the suffix of its format. A number without an entry finds nothing. */
export const id = z.string(100).transform((value) => Number(/^(\d{1,10})(?:\.json)?$/.exec(value)?.[1] ?? 0));

/** A JSON array in a parameter, of 10 entries at most: each may be a page that is saved. */
export const list = <Entry extends z.ZodType>(entry: Entry) =>
  z.preprocess(
    (value) => {
      if (typeof value !== "string") return value;
      const parsed = parseBoundedJson(value, fewFields);
      return "value" in parsed ? parsed.value : value;
    },
    z.array(entry, 10, "must be a JSON array", "has more than 10 entries: API limit reached"),
  );

export const detail = oneOfAnyCase(["full", "metadata"]);
