// SPDX-License-Identifier: MIT

import type { Row } from "./entry.ts";
import { type Fields, readEntry, readFields } from "./fields.ts";
import type { FoundPage } from "./pages-in.ts";
import { type RawEntry, type RawHighlight, toHighlightRow, toRow } from "./row.ts";

/** Peculiarities of a format. */
export interface Mapping {
  /** Canonical names of fields that only this format has. */
  uses?: readonly string[];
  read?: (fields: Fields) => RawEntry & { problem?: string };
  /** The highlights of the page. */
  highlights?: (fields: Fields) => readonly (RawHighlight & { lost?: Record<string, unknown> })[];
  /** Whether the highlights identify their page only by its title, so that there is no entry for it. */
  isOfTitle?: (fields: Fields) => boolean;
  /** See `Entry.slug`. */
  slug?: (fields: Fields) => unknown;
  /** See `Entry.text`, and the canonical name of its field. */
  text?: { field: string; of: (fields: Fields) => unknown };
}

export const isText = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";

/** The rows of a page: its entry, its highlights and the note on it; or a problem. */
export function readPage(
  { fields: record, folders = [], time }: Partial<FoundPage> & Pick<FoundPage, "fields">,
  line: number,
  { uses = [], read: entryIn = readEntry, highlights, isOfTitle, slug, text }: Mapping,
  withTexts: boolean,
): readonly Row[] {
  const { fields, lost } = readFields(record, withTexts && text ? [...uses, text.field] : uses);
  const { problem, ...raw }: RawEntry & { problem?: string } = entryIn(fields);
  const { tags = [], timeAdded = time } = raw;
  const page =
    problem === undefined ? toRow({ ...raw, timeAdded, tags: [...folders, ...tags] }, line, lost) : { problem, line };
  const marked = highlights?.(fields) ?? [];
  const markedIn = (url: unknown, title: unknown) =>
    marked.map(({ lost: lostOf, ...highlight }) => toHighlightRow({ ...highlight, url, title }, line, lostOf));
  if (isOfTitle?.(fields)) return markedIn("", raw.title);
  if ("problem" in page) return [page];
  const name = slug?.(fields);
  const html = withTexts && text?.of(fields);
  const others = { ...(typeof name === "string" && { slug: name }), ...(isText(html) && { text: html }) };
  return [{ ...page, ...others }, ...markedIn(raw.url, raw.title), ...noteRows(raw, line)];
}

/** The note on a page as a highlight that quotes nothing. */
export const noteRows = ({ url, title, note, timeAdded }: RawEntry, line: number): Row[] =>
  isText(note) ? [toHighlightRow({ url, title, note, timeCreated: timeAdded }, line)] : [];

/** A post of Pinboard or Delicious, whose title is its description. Spaces separate its tags. */
export const readPost = ({ description, extended, ...fields }: Fields): RawEntry => ({
  ...readEntry({ ...fields, extended }, /\s+/),
  title: description,
});
