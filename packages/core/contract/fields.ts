// SPDX-License-Identifier: MIT

import { maxApiKey } from "../domain/applications.ts";
import { type Change, parseAddition } from "../domain/changes.ts";
import { toItemId } from "../domain/item-id.ts";
import { isLongerThan, maxLengths, parseWebUrl } from "../domain/page-fields.ts";
import { parseSearch, SearchError } from "../domain/search-query.ts";
import { scopes } from "../domain/sign-in.ts";
import { normaliseTags, tagsIn } from "../domain/tags.ts";
import { doInTurns } from "../domain/turns.ts";
import * as z from "./bounded.ts";
import { fewFields, parseBoundedJson, parseLongJson } from "./bounded-json.ts";

/**
 * The parameters that endpoints share, each with its rule (docs/api.md 1 to 4). The message of a rule becomes the end
 * of an `X-Error`, after the name of the parameter. It never repeats the value.
 */

/** Characters of a parameter that may fill the body. */
const longestText = z.longestBody;

const orMissing = {
  error: (issue: { input: unknown }) => (issue.input === undefined ? "is missing" : "must be a string"),
};

/** A text of up to `max` UTF-16 units, without the characters that neither XML nor a database stores. */
const text = (max: number, tooLong?: string) =>
  z.string(max, orMissing, tooLong).refine((value) => value.isWellFormed() && !value.includes("\0"), {
    error: "contains a NUL character or an unpaired surrogate",
    abort: true,
  });

/** A text of up to `length` Unicode code points. */
export const textUpTo = (length: number, tooLong = `must be at most ${length} characters`) =>
  text(2 * length, tooLong)
    .refine((value) => !isLongerThan(value, length), { error: tooLong, abort: true })
    .meta({ maxLength: length });

/** One of some words, in an optional parameter: the OpenAPI document allows the empty value, too. */
export const oneOf = <const T extends readonly string[]>(values: T) =>
  z.enum(values, { error: `must be ${values.join(" or ")}` }).meta({ enum: ["", ...values] });

/** An integer without sign, of up to 20 digits, in an optional parameter. One above `max` means `max`. */
const integerFrom = (min: 0 | 1, error = "must be a whole number", max = Number.POSITIVE_INFINITY) =>
  z
    .string(20, undefined, error)
    .regex(/^\d{1,20}$/, error)
    .transform((digits) => Math.min(Number(digits), max))
    .refine((value) => value >= min, `must be at least ${min}`)
    .meta({ type: "string", pattern: min === 0 ? "^[0-9]*$" : "^(0*[1-9][0-9]*)?$", maxLength: 20 });

export const apiKey = z
  .string(maxApiKey, "is missing")
  .meta({ id: "ApiKey", examples: ["local-dev-key"], description: "The application's key.", minLength: 1 });

const usernameRule = "must be 1-20 characters of a-z, 0-9, - and _";
export const username = z
  .string(20, "is missing", usernameRule)
  .regex(/^[a-z0-9_-]{1,20}$/, usernameRule)
  .meta({ id: "Username", examples: ["ann"], description: "1-20 characters of a-z, 0-9, `-` and `_`." });

export const password = textUpTo(20, "must be 1-20 characters").meta({
  id: "Password",
  examples: ["secret"],
  description: "1-20 characters.",
  minLength: 1,
  maxLength: 20,
  format: "password",
});

/** The name of an app or device. */
export const signInName = textUpTo(60, "must be 1-60 characters")
  .refine((value) => !/\p{Cc}/u.test(value), "contains control characters")
  .optional()
  .meta({ description: "Create an app password for the app or device of this name, 1-60 characters.", maxLength: 60 });
export const scope = oneOf(scopes).optional().meta({
  description:
    "With `create`: its scope (5.2). `full` (default); `read`: calls that change neither list nor account; `feed`: only feeds.",
});
export const signInId = z
  .string(20, undefined, "must be an id of the list")
  .regex(/^[a-z0-9]{1,20}$/, "must be an id of the list")
  .optional()
  .meta({ description: "Id of the app password to revoke.", pattern: "^[a-z0-9]*$", maxLength: 20 });

/** The secret of an operator's link, or the code of the first operator. */
export const invitation = textUpTo(60).optional().meta({
  description:
    "The secret of an administrator's link (13.2), which registers a user even if sign-up is closed, or replaces a forgotten password.",
  maxLength: 60,
});

export const days = (most: number) =>
  integerFrom(1)
    .refine((value) => value <= most, `must be at most ${most}`)
    .optional();

const visible = "\\p{L}\\p{M}\\p{N}\\p{P}\\p{S}";
const applicationNames = new RegExp(`^[${visible}]([${visible} ]{0,48}[${visible}])?$`, "u");
const applicationNameRule = "must be 1-50 visible characters, with spaces only inside";
export const applicationName = text(100, applicationNameRule).regex(applicationNames, applicationNameRule).optional();
export const applicationId = z
  .string(50, undefined, "must be an id of the list")
  .regex(/^[\w-]{1,50}$/, "must be an id of the list")
  .optional();
/** It becomes the header `X-Error`. */
const maintenanceRule = "must be 1-200 printable ASCII characters in one line";
export const emailAddress = z.email(254, "must be an e-mail address");
export const maintenanceText = z
  .string(200, undefined, maintenanceRule)
  .regex(/^[!-~]([ -~]{0,198}[!-~])?$/, maintenanceRule)
  .optional();

/** A URL to save or to show. */
export const webUrl = textUpTo(maxLengths.url)
  .refine((value) => value !== "", { error: "is missing", abort: true })
  .refine((value) => parseWebUrl(value) !== undefined, "is not an http(s) URL")
  .meta({
    id: "PageUrl",
    examples: ["https://example.com/articles/1"],
    description: `An http(s) URL of up to ${maxLengths.url.toLocaleString("en")} characters.`,
    minLength: 1,
    maxLength: maxLengths.url,
  });

/** Bytes of a page that a client sends. */
const pageBytes = 4_000_000;
const pageTooLong = `must be at most ${pageBytes / 1_000_000} MB`;
export const pageHtml = text(pageBytes, pageTooLong)
  .refine((value) => Buffer.byteLength(value) <= pageBytes, pageTooLong)
  .optional()
  .meta({
    description:
      "The page as the user sees it, up to 4 MB of HTML, for pages behind a login. The service makes the view from it instead of fetching the page.",
  });

export const bookFormat = oneOf(["html", "epub"])
  .default("html")
  .meta({ description: "`html` (default): the text; `epub`: a book." });

/** Pages of a book. */
const maxBookPages = 50;
/** Characters of a JSON array of so many URLs, which may be escaped. */
const measureUrlJson = (most: number) => Math.min(longestText, 6 * most * maxLengths.url);
/** JSON with a few fields, of up to `max` characters. */
const shortJson = (max: number) =>
  z.string(max).transform((json, context) => {
    const parsed = parseBoundedJson(json, fewFields);
    if ("value" in parsed) return parsed.value;
    context.addIssue({ code: "custom", message: parsed.fault });
    return z.NEVER;
  });
export const bookUrls = shortJson(measureUrlJson(maxBookPages))
  .pipe(
    z
      .array(webUrl, maxBookPages, "must be a JSON array of URLs", `contains more than ${maxBookPages} pages`)
      .min(1, "is empty"),
  )
  .optional()
  .meta({
    description:
      "With `format=epub`, instead of `url`: a JSON array of up to 50 pages of the list, for a book of all of them.",
    type: "string",
  });

export const title = textUpTo(maxLengths.title).meta({
  description: "Title of the page, up to 1,000 characters; the URL if no title is given.",
});
export const refId = textUpTo(maxLengths.refId).meta({
  description: "Id of the status message that contained the link, up to 1,000 characters.",
});
export const tags = textUpTo(maxLengths.tags).transform(normaliseTags).meta({
  description: "Comma-separated tags, up to 1,000 characters. They replace all tags of the item.",
  maxLength: maxLengths.tags,
});

/** Tags of a difference: other tags stay. */
const changedTags = tags.meta({
  description: "Comma-separated tags, up to 1,000 characters.",
  maxLength: maxLengths.tags,
});

export const format = oneOf(["json", "xml"]).default("json").meta({ description: "`json` (default) or `xml`." });
export const state = oneOf(["read", "unread"])
  .optional()
  .meta({ description: "`unread` or `read`: only items in this state; all by default." });
export const flag = (description: string) =>
  oneOf(["0", "1"])
    .default("0")
    .transform((value) => value === "1")
    .meta({ description, enum: ["", "0", "1"], default: "0" });
export const clean = flag(
  "`1`: remove tracking parameters, such as `utm_source`, from the URLs of new pages, unless the URL as sent is in the list or in the trash.",
);
/** A setting that stays as it is if the parameter is absent. */
export const setting = (description: string) =>
  oneOf(["0", "1"])
    .transform((value) => value === "1")
    .optional()
    .meta({ description, enum: ["", "0", "1"] });
export const keptImages = oneOf(["0", "1", "kept"]).default("0").meta({
  description:
    "`1`: include images, with their original addresses; `kept`: only saved images, with addresses of this service.",
});
const unixTime = integerFrom(0, "must be a Unix time in whole seconds, such as 1700000000");
/** Greater than any time that is meant in seconds; less than the present in milliseconds. */
const maxTime = 99_999_999_999;
export const expires = unixTime
  .refine((time) => time <= maxTime, "must be a Unix time in seconds, not milliseconds")
  .optional()
  .meta({ description: "With `create`: Unix time in the future at which it expires; never if absent." });
export const timeAdded = unixTime.meta({
  description:
    "Unix time at which a new item was added: not later than now, or than the newest time that the service returned to the user. A time later than now is stored as now. Ignored if the page is in the list.",
});
export const since = unixTime.optional().meta({ description: "Unix time in seconds: only items changed after it." });
/** SQLite takes the product of two numbers up to `2 ** 31` as an integer. */
const countFrom1 = integerFrom(1, undefined, 2 ** 31);
export const count = countFrom1
  .optional()
  .meta({ description: "Number of items to return, at least 1; all by default." });
export const page = countFrom1
  .optional()
  .meta({ description: "Which page of `count` items, from 1; ignored without `count`." });
/** Found pages of one answer. */
const maxFound = 100;
const typedSearch = textUpTo(500)
  .transform((value, context) => {
    try {
      return parseSearch(value);
    } catch (error) {
      if (!(error instanceof SearchError)) throw error;
      context.addIssue({ code: "custom", message: error.message });
      return z.NEVER;
    }
  })
  .optional();
export const searchQuery = typedSearch.meta({
  description: "Words, phrases and filters, 1-500 characters. Required without `state`.",
  maxLength: 500,
});
export const searchState = state.meta({
  description:
    "`unread` or `read`: only pages in this state. Without `query`, `list` is an object of items, newest change first.",
});
export const searchWords = typedSearch.meta({
  description: "With `state`, instead of `query`: the same words, phrases and filters, up to 500 characters.",
  maxLength: 500,
});
export const searchPrefix = flag(
  "`1`: the last word, if it has three characters or more, also matches longer words that begin with it.",
);
/** Other values are refused only with `query`. */
export const searchSort = textUpTo(100).optional().meta({
  description: "`best` (default): best match first; `newest` (always, without `query`): newest change first.",
});
export const searchCount = integerFrom(1)
  .refine((value) => value <= maxFound, `must be at most ${maxFound}`)
  .default(10)
  .meta({ description: `Number of pages to return, 1-${maxFound}; 10 if absent.` });
export const mode = oneOf(["less", "more"])
  .default("less")
  .meta({ description: "`less` (default): only the article; `more`: with the page around it." });

export const emptyAsAbsent = (value: unknown) => (value === "" || value === null ? undefined : value);
export const optionalText = <Field extends z.ZodType>(field: Field) =>
  z
    .preprocess(emptyAsAbsent, field.optional())
    .meta({ type: ["string", "null"], maxLength: field.meta()?.maxLength, description: field.meta()?.description });

/** Maximum pages that one call purges: their validation takes about 5 ms. */
const maxPurged = 1000;

const purgedUrls = z.array(
  webUrl,
  maxPurged,
  "must be all or a JSON array of URLs",
  `contains more than ${maxPurged} URLs`,
);

/** `all`, or the ids of pages. */
export const purgedPages = z
  .string(measureUrlJson(maxPurged))
  .transform(async (text, context) => {
    if (text === "all") return text;
    const parsed = await parseLongJson(text, { members: 2 * maxPurged, levels: 2 });
    const { success, data, error } = purgedUrls.safeParse("value" in parsed ? parsed.value : undefined);
    if (success) return [...new Set(data.map(toItemId))];
    for (const issue of error.issues) context.addIssue({ ...issue });
    return z.NEVER;
  })
  .optional()
  .meta({
    description: `Erase items of the trash for good: \`all\`, or a JSON array of up to ${maxPurged.toLocaleString("en")} URLs.`,
    type: "string",
  });

/** A time in an entry, also as a number. */
export const optionalTime = (description?: string) =>
  z
    .preprocess((value) => emptyAsAbsent(typeof value === "number" ? String(value) : value), unixTime.optional())
    .meta({ type: ["string", "integer", "null"], description });

const progressRule = "must be a whole number from 0 to 100";
/** The share of a text that was read, in an entry, also as a number. */
const progress = z
  .preprocess(
    (value) => (typeof value === "number" ? String(value) : value),
    z
      .string(3, { error: (issue) => (issue.input === undefined ? "is missing" : progressRule) }, progressRule)
      .regex(/^(\d{1,2}|100)$/, progressRule)
      .transform(Number),
  )
  .meta({ type: ["string", "integer"], description: "Percentage of the text that was read, 0 to 100." });
const anchor = textUpTo(maxLengths.anchor).meta({
  description: "A quotation of up to 500 characters that marks the position in the text.",
});

export const entrySchema = <Fields extends z.core.$ZodShape>(id: string, description: string, fields: Fields) =>
  z.object(fields, { error: "must be an object" }).meta({ id, description });

/** Entries of `send`'s parameters as clients write them (docs/api.md 4.2), by parameter. */
export const entrySchemas = {
  restore: entrySchema("RestoreEntry", "A deleted page to restore from the trash.", { url: webUrl }),
  new: entrySchema("NewEntry", "A page to add.", {
    url: webUrl,
    title: optionalText(title),
    tags: optionalText(tags),
    ref_id: optionalText(refId),
    time_added: optionalTime(timeAdded.meta()?.description),
  }).meta({ required: ["url"] }),
  read: entrySchema("ReadEntry", "A page to mark as read.", { url: webUrl }),
  update_title: entrySchema("TitleEntry", "A new title of a page.", {
    url: webUrl,
    title: title.refine((value) => value !== "", "is missing").meta({ minLength: 1 }),
  }),
  update_tags: entrySchema("TagsEntry", "New tags of a page, which replace all its tags.", { url: webUrl, tags }),
  add_tags: entrySchema("AddTagsEntry", "Tags to add to a page.", { url: webUrl, tags: changedTags }),
  remove_tags: entrySchema("RemoveTagsEntry", "Tags to remove from a page.", { url: webUrl, tags: changedTags }),
  update_progress: entrySchema("ProgressEntry", "Reading progress of a page.", {
    url: webUrl,
    progress,
    anchor: optionalText(anchor),
    time: optionalTime("Unix time at which the user reached this point, not later than now; now if absent."),
  }).meta({ required: ["url", "progress"] }),
  delete: entrySchema("DeleteEntry", "A page to delete.", { url: webUrl }),
};

const urlChange = (kind: "restore" | "read" | "delete") =>
  entrySchemas[kind].transform((entry): Change => ({ kind, itemId: toItemId(entry.url) }));
const titleChange = entrySchemas.update_title.transform(
  (entry): Change => ({ kind: "title", itemId: toItemId(entry.url), title: entry.title }),
);
const tagsChange = entrySchemas.update_tags.transform(
  (entry): Change => ({ kind: "tags", itemId: toItemId(entry.url), tags: entry.tags }),
);

const addedTags = entrySchemas.add_tags.transform(
  (entry): Change => ({ kind: "retag", itemId: toItemId(entry.url), add: tagsIn(entry.tags), remove: [] }),
);
const removedTags = entrySchemas.remove_tags.transform(
  (entry): Change => ({ kind: "retag", itemId: toItemId(entry.url), add: [], remove: tagsIn(entry.tags) }),
);

const progressChange = entrySchemas.update_progress.transform(
  ({ url, progress: percent, anchor: place = "", time }): Change => ({
    kind: "progress",
    itemId: toItemId(url),
    percent,
    anchor: place,
    time,
  }),
);

/** Entries of one `send`, over all parameters: an app sends its whole queue in one request after a long time offline. */
export const maxEntries = 10_000;

/** An entry has up to 6 fields; unknown ones are ignored. */
const entriesBounds = { members: 20 * maxEntries, levels: 32, entries: maxEntries };

const tooManyBytes = (most: number) =>
  `must be at most ${Math.floor(most / 1_000_000)} MB; send the entries in several calls`;

/**
 * A parameter with entries as JSON, in the order given: an object with any keys, or an array. The entries are counted
 * before they are parsed, so that too many of them cost little, then parsed and validated in turns.
 */
export const entriesSchema = <T>(entry: z.ZodType<T>, description: string, maxBytes = longestText) =>
  z
    .string(maxBytes, undefined, tooManyBytes(maxBytes))
    .refine((json) => Buffer.byteLength(json) <= maxBytes, { error: tooManyBytes(maxBytes), abort: true })
    .transform(async (json, context) => {
      const refuse = (message: string) => {
        context.addIssue({ code: "custom", message });
        return z.NEVER;
      };
      const parsed = await parseLongJson(json, entriesBounds);
      if ("fault" in parsed) return refuse(parsed.fault);
      const { value } = parsed;
      // Clients that serialise a record with unset fields send `null`.
      if (value === null) return [];
      if (typeof value !== "object") return refuse("must be a JSON object or array");
      if ("url" in value && typeof value.url === "string") {
        return refuse('must be a list of entries, such as [{"url": "..."}]');
      }
      return doInTurns(validateEntries(entry, value, context));
    })
    .optional()
    .meta({ description, type: "string" });

/** Validates the entries of an object or array up to the first faulty one. */
function* validateEntries<T>(entry: z.ZodType<T>, entries: object, context: z.core.$RefinementCtx) {
  const changes: T[] = [];
  for (const [key, value] of Object.entries(entries)) {
    yield;
    const result = entry.safeParse(value);
    if (result.success) changes.push(result.data);
    else for (const issue of result.error.issues) context.addIssue({ ...issue, path: [key, ...issue.path] });
    if (context.issues.length > 0) return z.NEVER;
  }
  return changes;
}

/** The parameters of `send`, each parsed to its changes, in the order in which they apply (docs/api.md 4.2). */
export const entries = {
  restore: entriesSchema(urlChange("restore"), "Deleted pages to restore from the trash."),
  new: entriesSchema(entrySchemas.new.transform(parseAddition), "Pages to add."),
  read: entriesSchema(urlChange("read"), "Pages to mark as read."),
  update_title: entriesSchema(titleChange, "New titles."),
  update_tags: entriesSchema(tagsChange, "New tags, which replace all tags of the item."),
  add_tags: entriesSchema(addedTags, "Tags to add to pages; other tags stay."),
  remove_tags: entriesSchema(removedTags, "Tags to remove from pages; other tags stay."),
  update_progress: entriesSchema(progressChange, "Reading progress of pages."),
  delete: entriesSchema(urlChange("delete"), "Pages to delete."),
};

/** The names of these parameters, in that order. */
export const entryNames = Object.keys(entries) as (keyof typeof entries)[];

/** A tag, as `send` has it: one of a list. */
export const shareTag = textUpTo(maxLengths.tags)
  .refine((tag) => tagsIn(tag).length === 1, "must be one tag, without a comma")
  .transform((tag) => tag.trim());
const shareIdRule = "must be an id of the list";
export const shareId = (description: string) =>
  z
    .string(12, undefined, shareIdRule)
    .regex(/^[\da-f]{12}$/, shareIdRule)
    .optional()
    .meta({ description, pattern: "^[0-9a-f]*$", maxLength: 12 });
export const sharesToReopen = z
  .string(12, undefined, "must be all or an id of the list")
  .regex(/^(all|[\da-f]{12})$/, "must be all or an id of the list")
  .optional()
  .meta({
    description: "Id of a share to turn on again after a backup was restored; `all`: every share.",
    pattern: "^[0-9a-l]*$",
    maxLength: 12,
  });

const sharedThing = entrySchema("NewShare", "The page or the tag to share.", {
  url: optionalText(webUrl),
  tag: optionalText(shareTag),
  expires: optionalTime("Unix time at which the link expires."),
});
/** The page or the tag that a new share shows to everybody. */
export const newShare = shortJson(20_000)
  .pipe(sharedThing)
  .refine(({ url, tag }) => url !== undefined || tag !== undefined, "needs url or tag")
  .refine(({ url, tag }) => url === undefined || tag === undefined, "must contain url or tag, not both")
  .optional()
  .meta({
    description:
      "A JSON object with `url` (a page of the list that has a saved copy) or `tag`, and optionally `expires`, the Unix time at which the link expires.",
    type: "string",
  });

/** The arguments of `refine` for two parameters that are sent together or not at all. */
export const sentTogether = <One extends string, Other extends string>(
  one: One,
  other: Other,
): [check: (input: Partial<Record<One | Other, unknown>>) => boolean, { path: string[]; error: string }] => [
  (input) => (input[one] === undefined) === (input[other] === undefined),
  { path: [`${one} and ${other}`], error: "must be sent together" },
];
