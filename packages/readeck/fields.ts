import { webUrl } from "@reading-list/core/contract/fields.ts";
import { countCharacters, maxLengths } from "@reading-list/core/domain/page-fields.ts";
import * as z from "zod";

/** Fields of requests: forms and query strings have text where JSON has other types. */

const emptyAsAbsent = (value: unknown) => (value === "" || value === null ? undefined : value);
const optional = <Field extends z.ZodType>(field: Field) => z.preprocess(emptyAsAbsent, field.optional());

export const flag = optional(
  z
    .union([z.boolean(), z.enum(["true", "false", "1", "0", "on", "off"])], "must be true or false")
    .transform((value) => value === true || ["true", "1", "on"].includes(String(value))),
);

export const wholeNumber = optional(
  z.union(
    [
      z.int().nonnegative(),
      z
        .string()
        .regex(/^\d{1,15}$/)
        .transform(Number),
    ],
    "must be a whole number",
  ),
);

/** One text or several, as a query string has it. */
export const texts = optional(
  z.union([z.string().transform((text) => [text]), z.array(z.string()).max(10_000)], "must be a list of texts"),
);
export const text = optional(z.string("must be a text"));

/**
 * Seconds that a time of a client is read as earlier: many name the time of their own clock at their last sync, which may
 * be ahead of ours, and of the answer that they got. What they have seen already is listed again.
 */
const clockMarginSeconds = 60;

/** A time from which on changes are asked for, in ISO 8601 (UTC without a zone) or unix seconds, less the margin. */
export const since = optional(
  z.string("must be a time in ISO 8601").transform((value, context) => {
    const inUtc = /T[\d:.]+$/.test(value) ? `${value}Z` : value;
    const seconds = /^\d{1,11}$/.test(value) ? Number(value) : Date.parse(inUtc) / 1000;
    if (Number.isFinite(seconds)) return Math.max(0, Math.floor(seconds) - clockMarginSeconds);
    context.addIssue({ code: "custom", message: "must be a time in ISO 8601" });
    return z.NEVER;
  }),
);

/** A tag cannot contain a comma. */
const label = z.string("must be a text").transform((value) => value.replaceAll(/[\s,\0]+/g, " ").trim());
export const labels = optional(
  z.union([label.transform((each) => [each]), z.array(label).max(100)], "must be a list of texts"),
);

export const url = webUrl;
export const title = optional(
  z
    .string("must be a text")
    .refine(
      (value) => value.isWellFormed() && !value.includes("\0"),
      "contains a NUL character or an unpaired surrogate",
    )
    .refine((value) => countCharacters(value) <= maxLengths.title, `must be at most ${maxLengths.title} characters`),
);
/** An id that is not one of an item is that of no bookmark. */
export const id = z.string().transform((value) => (/^\d{1,16}$/.test(value) ? value : "0"));

/** A file, or several, of a multipart body. */
const file = z.object({ data: z.instanceof(Buffer) });
export const files = z.union([file.transform((each) => [each]), z.array(file)]).optional();
