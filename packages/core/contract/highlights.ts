// SPDX-License-Identifier: MIT

import { colors, type HighlightFields, highlightLengths as lengths, toColor } from "../domain/highlight-fields.ts";
import type { HighlightChange } from "../domain/highlights.ts";
import { toItemId } from "../domain/item-id.ts";
import * as answered from "./answered.ts";
import * as z from "./bounded.ts";
import { type EndpointContract, userFields } from "./endpoint.ts";
import {
  count,
  emptyAsAbsent,
  entriesSchema,
  entrySchema,
  format,
  maxEntries,
  optionalText,
  optionalTime,
  page,
  since,
  textUpTo,
  webUrl,
} from "./fields.ts";

/** Bytes of a parameter with entries. */
const maxBytes = 1_000_000;

const idRule = "must be 1-40 characters of A-Z, a-z, 0-9, - and _, and begin with a letter or digit";
const id = z
  .string(40, { error: (issue) => (issue.input === undefined ? "is missing" : "must be a string") }, idRule)
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/, idRule)
  .meta({ description: "Chosen by the client, such as a UUID; unique for the user." });

/** A text that may be empty; `null` counts as absent. */
const text = (length: number, description: string) =>
  z
    .preprocess((value) => value ?? undefined, textUpTo(length).optional())
    .meta({ type: ["string", "null"], maxLength: length, description });

const position = z
  .preprocess(
    (value) => emptyAsAbsent(typeof value === "number" ? String(value) : value),
    z
      .string(10, "must be a whole number", "must be a whole number of up to 10 digits")
      .regex(/^\d{1,10}$/, "must be a whole number of up to 10 digits")
      .transform(Number)
      .optional(),
  )
  .meta({
    type: ["string", "integer", "null"],
    description: "UTF-16 units before the quotation in the joined text nodes of the saved `less` view with `images=1`.",
  });

const color = z
  .preprocess((value) => value ?? undefined, z.string(100, "must be a string").transform(toColor).optional())
  .meta({ type: ["string", "null"], description: `${colors.join(", ")}; any other color is stored as ${colors[0]}.` });

const saveEntry = entrySchema(
  "HighlightEntry",
  "A highlight to add or change. If it exists, absent fields stay as they are.",
  {
    id,
    url: optionalText(webUrl).meta({ description: "The page; it must be in the list or in the trash." }),
    quote: optionalText(textUpTo(lengths.quote)).meta({
      description: "The highlighted text, up to 10,000 characters; without it, a new highlight is a note on the page.",
      maxLength: lengths.quote,
    }),
    prefix: text(lengths.context, "The text before it."),
    suffix: text(lengths.context, "The text after it."),
    position,
    color,
    note: text(lengths.note, "A note; required without `quote`."),
    time_created: optionalTime("Unix time of creation, not later than now; now by default."),
  },
).meta({ required: ["id"] });

const given = (fields: { [Name in keyof HighlightFields]: HighlightFields[Name] | undefined }) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<HighlightFields>;

const saveChange = saveEntry.transform(
  ({ id, url, quote, prefix, suffix, position, color, note, time_created: timeCreated }): HighlightChange => ({
    kind: "save",
    id,
    name: "",
    itemId: url && toItemId(url),
    fields: given({ quote, prefix, suffix, position, color, note, timeCreated }),
  }),
);

const deleteChange = id.transform((id): HighlightChange => ({ kind: "delete", id }));

const highlight = z
  .object({
    id: answered.string(),
    item_id: answered.string(),
    url: answered.string().meta({ description: "The URL of its page." }),
    quote: answered.string().meta({ description: "Empty for a note on the page." }),
    prefix: answered.string(),
    suffix: answered.string(),
    position: answered.string().meta({ description: "Empty if unknown." }),
    color: z.enum(colors),
    note: answered.string(),
    time_created: answered.string(),
    time_updated: answered.string().meta({
      description: "Unix time at which it was last changed, or came back with its page.",
    }),
  })
  .meta({
    id: "Highlight",
    description: "A highlighted passage of a page, with an optional note; or a note on the page.",
    xml: { name: "item" },
  });

export const highlights = {
  name: "highlights",
  section: "4.14",
  summary: "Save, delete or retrieve highlights",
  description: `With \`save\` or \`delete\`, highlights are changed, up to ${maxEntries.toLocaleString("en")} in one call; up to 99 are all or nothing. Without both, they are retrieved, newest change first. To sync, store the returned \`since\` and pass it to the next call, which returns every later change exactly once.`,
  tag: "list",
  host: "main",
  caller: "user",
  list: "highlights",
  methods: ["POST"],
  changes: ["save", "delete"],
  adds: ["save"],
  counted: true,
  answer: {
    kind: "fields",
    fields: z.object({
      status: z.enum(["1", "2"]).meta({ description: "`2` if nothing has changed after `since`; otherwise `1`." }),
      since: answered.string().meta({ description: "Unix time of this response; pass it as `since` next time." }),
      complete: z.literal("1").optional().meta({
        description: "`1` if `list` has all highlights: discard local highlights that are not in it. Otherwise absent.",
      }),
      list: answered.record(answered.string(), highlight).meta({ description: "Highlights by id, in order." }),
      deleted: answered
        .record(answered.string(), answered.string())
        .meta({ description: "Deletion times since `since`, by id." }),
      deleted_items: answered.record(answered.string(), answered.string()).meta({
        description: "Deletion times since `since`, by item_id, of pages that were deleted with their highlights.",
      }),
    }),
    orStatus: true,
  },
  input: z
    .object({
      ...userFields,
      format,
      url: webUrl.optional().meta({ description: "Only the highlights of this page." }),
      since,
      count,
      page,
      save: entriesSchema(saveChange, "Highlights to add or to change.", maxBytes),
      delete: entriesSchema(deleteChange, "Ids of highlights to delete.", maxBytes),
    })
    .refine(({ save = [], delete: deleted = [] }) => save.length + deleted.length <= maxEntries, {
      path: ["save and delete"],
      error: `contain more than ${maxEntries} entries`,
    }),
  entries: { save: saveEntry, delete: id },
  example: {
    parameters: {},
    mistake: { change: { save: [{ id: "mark-1" }] }, error: "save.0.url is missing" },
    json: { status: "1", since: "1700000000", complete: "1", list: {}, deleted: {}, deleted_items: {} },
    xml:
      '<?xml version="1.0" encoding="UTF-8"?><response><status>1</status><since>1700000000</since><complete>1</complete>' +
      "<list/><deleted/><deleted_items/></response>",
  },
} as const satisfies EndpointContract;
