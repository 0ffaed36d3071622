import { title as titleField, webUrl } from "@reading-list/core/contract/fields.ts";
import { countCharacters, maxLengths } from "@reading-list/core/domain/page-fields.ts";
import { normaliseTags, tagsIn } from "@reading-list/core/domain/tags.ts";
import * as z from "zod";

/** Fields of requests: forms and query strings have text where JSON has other types. */

const emptyAsAbsent = (value: unknown) => (value === "" || value === null ? undefined : value);
const optional = <Field extends z.ZodType>(field: Field) => z.preprocess(emptyAsAbsent, field.optional());

export const flag = optional(
  z
    .union([z.boolean(), z.literal([0, 1]), z.enum(["0", "1", "true", "false"])], "must be 0 or 1")
    .transform((value) => value === true || value === 1 || value === "1" || value === "true"),
);

/** A whole number, also as text. */
const integerFrom = (min: number) =>
  z
    .union([z.int(), z.string().regex(/^\d{1,12}$/)], "must be a whole number")
    .transform(Number)
    .refine((value) => value >= min, `must be at least ${min}`);

export const page = optional(integerFrom(1));
/** The Python client sends 0 if its user does not say. */
export const perPage = optional(integerFrom(0));
export const time = optional(
  // Android apps send fractions.
  z.preprocess((value) => String(value).replace(/\.\d*$/, ""), integerFrom(0)),
);

export const oneOf = <const T extends readonly string[]>(values: T) =>
  optional(z.enum(values, { error: `must be ${values.join(" or ")}` }));

export const text = optional(z.string("must be a text"));
/** One text or several, as a query string has it. */
export const texts = optional(
  z.union([z.string().transform((each) => [each]), z.array(z.string()).max(1000)], "must be a list of texts"),
);

/** Tags: separated by commas, or an array. */
export const tags = z
  .preprocess(
    (value) => (Array.isArray(value) ? value.join(",") : (value ?? undefined)),
    z.string("must be tags, separated by commas").optional(),
  )
  .transform((value) => (value === undefined ? undefined : normaliseTags(value.replaceAll("\0", ""))))
  .refine(
    (value = "") => countCharacters(value) <= maxLengths.tags,
    `must be at most ${maxLengths.tags} characters in all`,
  )
  .transform((value) => (value === undefined ? undefined : tagsIn(value)));

export const url = webUrl;
/** A longer title, which wallabag cuts, too, is cut. */
export const title = optional(
  z.preprocess(
    (value) =>
      typeof value === "string"
        ? [...value.replaceAll("\0", "").toWellFormed()].slice(0, maxLengths.title).join("")
        : value,
    titleField,
  ),
);
/** A page's HTML, as the person sees it. */
export const content = optional(z.string("must be HTML"));

/** The number of an entry, also with the suffix of its format. One that no entry has is that of none. */
export const id = z.string().transform((value) => Number(/^(\d{1,10})(?:\.json)?$/.exec(value)?.[1] ?? 0));
