import * as z from "zod";
import { additionOf, type Change } from "../domain/changes.ts";
import { itemIdOf, parseWebUrl } from "../domain/item-id.ts";
import { normaliseTags } from "../domain/tags.ts";

/**
 * The parameters that endpoints share, each with its rule (spec sections 2 and 4). The message of a failed rule is the
 * second half of an `X-Error`: it follows the parameter's name, and never repeats the value.
 */

/** Length as a person counts it: in characters, not UTF-16 units. */
const countCharacters = (value: string) => (value.length > 100_000 ? value.length : [...value].length);

const text = z
  .string({ error: (issue) => (issue.input === undefined ? "is missing" : "must be a string") })
  .refine((value) => value.isWellFormed() && !value.includes("\0"), {
    error: "holds a NUL or half a surrogate pair",
    abort: true,
  });

const textUpTo = (length: number) =>
  text
    .refine((value) => countCharacters(value) <= length, `must be at most ${length} characters`)
    .meta({ maxLength: length });

const oneOf = <const T extends readonly string[]>(values: T) =>
  z.enum(values, { error: `must be ${values.join(" or ")}` });

/** A whole number without sign, as clients write it. */
const integerFrom = (least: number) =>
  z
    .string()
    .regex(/^\d{1,20}$/, "must be a whole number")
    .transform(Number)
    .refine((value) => value >= least, `must be at least ${least}`);

export const apiKey = z.string({ error: "is missing" }).meta({ description: "The application's key." });

export const username = z
  .string({ error: "is missing" })
  .regex(/^[a-z0-9_-]{1,20}$/, "must be 1-20 characters of a-z, 0-9, - and _")
  .meta({ description: "1-20 characters of a-z, 0-9, `-` and `_`." });

export const password = text
  .refine((value) => countCharacters(value) <= 20, "must be 1-20 characters")
  .meta({ description: "1-20 characters.", maxLength: 20 });

/** A URL to save or to show; its page is `new URL(url)`. */
export const webUrl = text
  .refine((value) => value !== "", { error: "is missing", abort: true })
  .refine((value) => countCharacters(value) <= 4096, { error: "must be at most 4096 characters", abort: true })
  .refine((value) => parseWebUrl(value) !== undefined, "is not an http(s) URL")
  .meta({ description: "An http(s) URL of up to 4,096 characters.", maxLength: 4096 });

export const title = textUpTo(1000).meta({ description: "Title of the page; the URL where none is given." });
export const refId = textUpTo(1000).meta({ description: "Id of the status message that held the link." });
const tags = textUpTo(1000).transform(normaliseTags).meta({ description: "Comma-separated tags.", maxLength: 1000 });

export const format = oneOf(["json", "xml"]).default("json").meta({ description: "Format of the response." });
export const state = oneOf(["read", "unread"]).optional().meta({ description: "Which items; both where absent." });
export const flag = (description: string) =>
  oneOf(["0", "1"])
    .default("0")
    .transform((value) => value === "1")
    .meta({ description, enum: ["0", "1"], default: "0" });
export const since = integerFrom(0)
  .optional()
  .meta({ description: "Unix time; only items added or changed after it.", type: "string" });
export const count = integerFrom(1).optional().meta({ description: "Items to return; all where absent." });
export const page = integerFrom(1).optional().meta({ description: "Page of `count` items, from 1." });
export const mode = oneOf(["less", "more"])
  .default("less")
  .meta({ description: "`less`: the article alone; `more`: with the page around it." });

const emptyAsAbsent = (value: unknown) => (value === "" ? undefined : value);
const optionalText = (field: typeof title) => z.preprocess(emptyAsAbsent, field.optional());

const entryOf = <Fields extends z.core.$ZodShape>(fields: Fields) => z.object(fields, { error: "must be an object" });

/** Entries of `send`'s parameters (spec section 4.2), each as the change it asks for. */
const newEntry = entryOf({ url: webUrl, title: optionalText(title), ref_id: optionalText(refId) }).transform(
  additionOf,
);
const readEntry = entryOf({ url: webUrl }).transform(
  (entry): Change => ({ kind: "read", itemId: itemIdOf(entry.url) }),
);
const titleEntry = entryOf({ url: webUrl, title: title.refine((value) => value !== "", "is missing") }).transform(
  (entry): Change => ({ kind: "title", itemId: itemIdOf(entry.url), title: entry.title }),
);
const tagsEntry = entryOf({ url: webUrl, tags }).transform(
  (entry): Change => ({ kind: "tags", itemId: itemIdOf(entry.url), tags: entry.tags }),
);

/** Changes that one `send` may ask for, over its four parameters. */
export const entriesAllowed = 1000;

/**
 * A parameter that holds entries as JSON: an object with any keys, or an array; in the order given. Counted before
 * they are looked at, so that a flood of entries costs nothing.
 */
const entriesOf = (entry: z.ZodType<Change>, description: string) =>
  z
    .string()
    .transform((json, context): [string, unknown][] => {
      const refuse = (message: string) => {
        context.addIssue({ code: "custom", message });
        return z.NEVER;
      };
      let value: unknown;
      try {
        value = JSON.parse(json);
      } catch {
        return refuse("is not valid JSON");
      }
      if (typeof value !== "object" || value === null) return refuse("must be a JSON object or array");
      const entries = Object.entries(value);
      return entries.length > entriesAllowed ? refuse(`holds more than ${entriesAllowed} entries`) : entries;
    })
    .transform((entries, context) => {
      const changes: Change[] = [];
      for (const [key, value] of entries) {
        const result = entry.safeParse(value);
        if (result.success) changes.push(result.data);
        else for (const issue of result.error.issues) context.addIssue({ ...issue, path: [key, ...issue.path] });
        if (context.issues.length > 0) return z.NEVER;
      }
      return changes;
    })
    .optional()
    .meta({ description, type: "string" });

export const entries = {
  new: entriesOf(newEntry, 'Pages to add: `{"0": {"url": …, "title": …, "ref_id": …}, …}`.'),
  read: entriesOf(readEntry, 'Pages to mark read: `{"0": {"url": …}, …}`.'),
  update_title: entriesOf(titleEntry, 'New titles: `{"0": {"url": …, "title": …}, …}`.'),
  update_tags: entriesOf(tagsEntry, 'New tags, in place of all: `{"0": {"url": …, "tags": …}, …}`.'),
};
