// SPDX-License-Identifier: MIT

import { parseWebUrl } from "@reading-list/core/domain/page-fields.ts";
import { takeUpTo } from "./chunks.ts";
import { type CsvHeader, readCsv } from "./csv.ts";
import { isHighlight, type Row } from "./entry.ts";
import { canonicaliseName, type Fields, hasUrl, parseQuotedNames, readEntry, readFields } from "./fields.ts";
import { readBookmarks } from "./html.ts";
import { type JsonElement, readElements } from "./json.ts";
import { parseObject, readJsonLines } from "./json-lines.ts";
import { type RawEntry, type RawHighlight, toHighlightRow, toRow } from "./row.ts";
import { isSingleFile, readSingleFile } from "./single-file.ts";
import { readCollections, readTree } from "./trees.ts";
import { readUrls } from "./url-list.ts";
import { originalText } from "./write-csv.ts";

/** The beginning of a file, from which its format is detected. */
export interface Head {
  /** Without leading white space. */
  text: string;
  csv: CsvHeader;
  /** The first object of a JSON file. */
  element?: JsonElement | undefined;
  /** Whether rows are to have the texts of pages. */
  withTexts: boolean;
}

/** A format that can be read. */
export interface Format {
  name: string;
  /** The file, for people. */
  title: string;
  /** For people: peculiarities of the format. */
  notes: string;
  matches: (head: Head) => boolean;
  read: (text: AsyncIterable<string>, head: Head) => AsyncGenerator<Row>;
}

/** Fields of an annotation in the answers of Readeck's API. */
const annotationOfReadeck = [
  ...["text", "created", "color", "note", "bookmarkid", "bookmarkhref", "bookmarkurl", "bookmarktitle"],
  ...["bookmarksitename", "href"],
];

/** All formats, in the order in which a file is compared with them. */
export const formats: readonly Format[] = [
  {
    name: "json-lines",
    title: "JSON Lines of this service",
    notes: "with `time_updated`",
    matches: ({ text }) => isJsonLine(text.slice(0, 100_000).split("\n", 1)[0] ?? ""),
    read: readJsonLines,
  },
  {
    name: "wallabag",
    title: "wallabag JSON (version 2)",
    notes: "archived is read; annotations are highlights; with texts",
    ...json("", ["url", "is_archived", "created_at"], {
      uses: ["annotations"],
      // Of a page that it could not read wallabag has a message in place of the text.
      text: {
        field: "content",
        of: ({ content }) => (String(content).includes("wallabag can't retrieve contents") ? "" : content),
      },
      highlights: ({ annotations }) =>
        objectsIn(annotations).map(({ quote, text, created_at: timeCreated }) => ({ quote, note: text, timeCreated })),
    }),
  },
  {
    name: "wallabag-1",
    title: "wallabag JSON (version 1)",
    notes: "it has no times",
    ...json("", ["url", "is_read", "is_fav"]),
  },
  {
    name: "readeck",
    title: "Readeck JSON (answers of its API)",
    notes: "archived is read; annotations, if a bookmark has them, are highlights",
    ...json("", ["url", "labels", "is_archived", "created"], {
      uses: ["annotations"],
      highlights: ({ annotations }) =>
        objectsIn(annotations).map(({ text, created, ...rest }) => ({ ...rest, quote: text, timeCreated: created })),
    }),
  },
  {
    name: "readeck-export",
    title: "Readeck's export (the zip of `readeck export` for one user)",
    notes: "archived is read; annotations are highlights; with texts and pictures",
    matches: ({ text }) => /^\{"ID":\d+,"UID":"/.test(text),
    read: readBookmarkOfReadeck,
  },
  {
    name: "readeck-annotations",
    title: "Readeck's list of annotations (JSON of `bookmarks/annotations`)",
    notes: "highlights; a page that is not in the list is added as read",
    ...withEachPageOnce(
      json("", ["text", "bookmark_url", "bookmark_title", "created"], {
        uses: annotationOfReadeck,
        read: ({ bookmarkurl: url, bookmarktitle: title, created: timeAdded }) => ({
          ...{ url, title, timeAdded, isRead: true },
        }),
        highlights: (fields) => [highlightOfReadeck(fields)],
      }),
    ),
  },
  {
    name: "omnivore",
    title: "Omnivore zip, or a `metadata_….json` of it",
    notes: "archived is read; the zip has highlights and texts",
    ...json("", ["url", "slug", "savedAt"], { slug: ({ slug }) => slug }),
  },
  {
    name: "goodlinks",
    title: "GoodLinks JSON",
    notes: "",
    ...json("", ["url", "addedAt", "starred"]),
  },
  {
    name: "pinboard",
    title: "Pinboard JSON",
    notes: "spaces separate tags",
    ...json("", ["href", "description", "toread"], {
      uses: ["description"],
      read: (fields) => ({
        ...readEntry(fields),
        title: fields.description,
        tags: String(fields.tags ?? "").split(/\s+/),
      }),
    }),
  },
  {
    name: "karakeep",
    title: "Karakeep (Hoarder) JSON",
    notes: "archived is read; lists, and texts without a link, are not read; answers of its API may have texts",
    ...json("bookmarks", ["createdAt", "content"], {
      uses: ["content"],
      text: { field: "content", of: ({ content }) => (content as { htmlContent?: unknown } | null)?.htmlContent },
      read: (fields) => ({ ...readEntry(fields), url: (fields.content as { url?: unknown } | null)?.url }),
    }),
  },
  {
    name: "linkding",
    title: "linkding JSON (answers of its API)",
    notes: "not `unread`, or archived, is read",
    ...json("results", ["url", "tag_names", "date_added"]),
  },
  {
    name: "readability",
    title: "Readability JSON",
    notes: "archived is read",
    ...json("bookmarks", ["article__url", "date_added"]),
  },
  {
    name: "linkwarden",
    title: "Linkwarden JSON",
    notes: "collections are tags",
    matches: ({ element }) => element?.key === "collections" && "links" in element.fields,
    read: readCollections,
  },
  {
    name: "firefox",
    title: "Firefox JSON backup",
    notes: "folders are tags",
    matches: ({ text }) => text.startsWith("{") && /"type"\s*:\s*"text\/x-moz-place/.test(text),
    read: readTree,
  },
  {
    name: "chrome",
    title: "Chrome's file `Bookmarks`, and that of Edge, Brave, Vivaldi",
    notes: "folders are tags",
    matches: ({ text }) => text.startsWith("{") && /"roots"\s*:\s*\{\s*"/.test(text),
    read: readTree,
  },
  {
    name: "json",
    title: "any JSON array of objects with a field for the URL",
    notes: "see [fields](#fields-that-are-known-by-their-name)",
    matches: ({ element }) => element !== undefined && hasUrl(Object.keys(element.fields).map(canonicaliseName)),
    read: (text, head) => readJson(text, head.element?.key ?? "", head),
  },
  {
    name: "single-file",
    title: "a page that SingleFile has saved (HTML)",
    notes: "with its text and pictures",
    matches: ({ text }) => isSingleFile(text),
    read: readSingleFile,
  },
  {
    name: "pocket-html",
    title: "Pocket `ril_export.html`",
    notes: "`Read Archive` is read",
    matches: ({ text }) => text.startsWith("<") && /<title>Pocket Export<\/title>/i.test(text),
    read: readBookmarks,
  },
  {
    name: "netscape",
    title: "Netscape bookmarks (HTML) of browsers and most services",
    notes: '`TAGS` and folders are tags; `TOREAD="0"`, and archived in linkding, is read',
    // bounded: a file of the person who imports it, in that person's browser or command
    matches: ({ text }) => text.startsWith("<") && /<!DOCTYPE NETSCAPE-Bookmark-file|<a\s[^>]*href/i.test(text),
    read: readBookmarks,
  },
  {
    name: "pocket-csv",
    title: "Pocket CSV, or the zip with it",
    notes: "`|` separates tags",
    ...csv(["title", "url", "time_added", "tags", "status"], {
      read: (fields) => ({ ...readEntry(fields), tags: String(fields.tags ?? "").split("|") }),
    }),
  },
  {
    name: "instapaper",
    title: "Instapaper CSV",
    notes: "folder `Archive` is read, `Starred` is starred; other folders are tags; a selection is a highlight",
    ...csv(["url", "title", "selection", "folder"], {
      uses: ["selection"],
      read: (fields) => readEntry({ ...fields, tags: parseQuotedNames(fields.tags) }),
      highlights: ({ selection, timestamp }) =>
        isText(selection) ? [{ quote: selection.trim(), timeCreated: timestamp }] : [],
    }),
  },
  {
    name: "readwise",
    title: "Readwise CSV of highlights",
    notes:
      "with a URL, a page that is not in the list is added as read; without, the page of the list with exactly this title is taken",
    ...readwise(),
  },
  {
    name: "readwise-reader",
    title: "Readwise Reader CSV",
    notes: "location `archive` is read; items of feeds are rejected",
    ...csv(["url", "document tags", "saved date", "location"], {
      uses: ["location"],
      read: (fields) => ({
        ...readEntry({ ...fields, tags: parseQuotedNames(fields.documenttags) }),
        ...(fields.location === "feed" && { problem: "an item of a feed that was not saved" }),
        isRead: fields.location === "archive",
      }),
    }),
  },
  {
    name: "matter",
    title: "Matter CSV",
    notes: "`;` separates tags; read, or not in the queue, is read; the last interaction is the time added",
    ...csv(["url", "tags", "in queue", "last interaction date"], {
      uses: ["inqueue", "lastinteractiondate"],
      read: (fields) => ({
        ...readEntry(fields),
        tags: String(fields.tags ?? "").split(";"),
        isRead: fields.read === "True" || fields.inqueue === "False",
        timeAdded: fields.lastinteractiondate,
      }),
    }),
  },
  {
    name: "wallabag-csv",
    title: "wallabag CSV",
    notes: "it has no states",
    ...csv(["title", "url", "mime type", "creation date"], {
      read: (fields) => ({
        ...readEntry(fields),
        timeAdded: String(fields.creationdate ?? "").replace(/^(\d\d)\/(\d\d)\/(\d{4})/, "$3-$2-$1"),
      }),
    }),
  },
  {
    name: "diigo",
    title: "Diigo CSV",
    notes: "",
    ...csv(["url", "tags", "annotations", "created_at"], {
      read: (fields) => ({ ...readEntry(fields), tags: fields.tags === "no_tag" ? [] : [fields.tags] }),
    }),
  },
  {
    name: "csv",
    title: "any CSV with a column for the URL",
    notes: "see [fields](#fields-that-are-known-by-their-name)",
    ...csv([], {
      read: ({ title, tags, ...fields }) =>
        readEntry({ ...fields, title: originalText(String(title ?? "")), tags: originalText(String(tags ?? "")) }),
    }),
    matches: ({ csv: { columns } }) => hasUrl(columns.map(canonicaliseName)),
  },
  {
    name: "urls",
    title: "a URL on each line; a title may follow it, as in OneTab's list",
    notes: "",
    matches: ({ text }) => {
      const [first = ""] = text.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("#"));
      return parseWebUrl(first.trim().split(/\s/, 1)[0] ?? "") !== undefined;
    },
    read: readUrls,
  },
];

function isJsonLine(line: string): boolean {
  const fields = parseObject(line);
  return fields !== undefined && ("sha256" in fields || ("url" in fields && "state" in fields));
}

/** Readwise's own export, and the form in which it imports highlights, which has the URL of the page. */
function readwise(): Pick<Format, "matches" | "read"> {
  const titleOf = ({ booktitle, title = booktitle }: Fields) => title;
  const timeOf = ({ highlightedat, date = highlightedat }: Fields) => date;
  const { matches, read } = csv(["highlight"], {
    uses: [
      ...["highlight", "note", "color", "booktitle", "bookauthor", "amazonbookid", "highlightedat"],
      ...["location", "locationtype"],
    ],
    isOfTitle: (fields) => !isText(fields.url),
    read: (fields) => ({
      ...{ url: fields.url, title: titleOf(fields), isRead: true, timeAdded: timeOf(fields) },
      tags: String(fields.documenttags ?? "").split(","),
    }),
    highlights: (fields) => [
      {
        ...{ quote: textIn(fields.highlight), note: fields.note, color: fields.color, timeCreated: timeOf(fields) },
        // The tags are those of the highlight.
        ...(isText(fields.tags) && { lost: { tags: fields.tags } }),
      },
    ],
  });
  return withEachPageOnce({
    matches: (head) =>
      matches(head) && head.csv.columns.map(canonicaliseName).some((name) => /^(book)?title$/.test(name)),
    read,
  });
}

/** Characters of a bookmark of Readeck, which has its text without markup. */
const maxBookmarkLength = 32_000_000;

/** Reads the file of one bookmark in an export of Readeck, named after its fields in Readeck's database. */
async function* readBookmarkOfReadeck(chunks: AsyncIterable<string>, { withTexts }: Head): AsyncGenerator<Row> {
  const { parts } = await takeUpTo(chunks, maxBookmarkLength);
  const bookmark = parseObject(parts.join(""));
  if (!bookmark) {
    yield { problem: "no JSON of a bookmark", line: 1 };
    return;
  }
  yield* read(Object.entries(bookmark), 1, bookmarkOfReadeck, withTexts);
}

const bookmarkOfReadeck: Mapping = {
  // Readeck derives most of these fields from the page.
  uses: [
    ...["state", "initialurl", "domain", "text", "duration", "embed", "filepath", "files", "errors", "links"],
    ...["readprogress", "readanchor", "annotations"],
  ],
  read: (fields) => ({
    ...readEntry(fields),
    progress: { percent: fields.readprogress, anchor: "", time: Math.floor(Date.parse(String(fields.updated)) / 1000) },
  }),
  highlights: ({ annotations }) => objectsIn(annotations).map(highlightOfReadeck),
};

const highlightOfReadeck = ({ text, created, color, note }: Fields): RawHighlight => ({
  ...{ quote: text, color, note, timeCreated: created },
});

const isText = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";
const textIn = (value: unknown) => (typeof value === "string" ? value.trim() : value);

/** The objects in an array. */
const objectsIn = (list: unknown): Record<string, unknown>[] =>
  Array.isArray(list) ? list.filter((each) => typeof each === "object" && each !== null) : [];

/** A format of highlights that name their pages, with an entry for each page in the place of one for each highlight. */
function withEachPageOnce({ matches, read }: Pick<Format, "matches" | "read">): Pick<Format, "matches" | "read"> {
  return {
    matches,
    async *read(text, head) {
      const urls = new Set<string>();
      for await (const row of read(text, head)) {
        const isPage = !("problem" in row) && !isHighlight(row);
        if (isPage && urls.has(row.url)) continue;
        if (isPage) urls.add(row.url);
        yield row;
      }
    },
  };
}

/** Peculiarities of a format. */
interface Mapping {
  /** Canonical names of fields that only this format has. */
  uses?: readonly string[];
  read?: (fields: Fields) => RawEntry & { problem?: string };
  /** The highlights of the page. */
  highlights?: (fields: Fields) => readonly (RawHighlight & { lost?: Record<string, unknown> })[];
  /** Whether the highlights name their page by its title alone, so that there is no entry for it. */
  isOfTitle?: (fields: Fields) => boolean;
  /** See `Entry.slug`. */
  slug?: (fields: Fields) => unknown;
  /** See `Entry.text`, and the canonical name of its field. */
  text?: { field: string; of: (fields: Fields) => unknown };
}

/** A CSV format whose header has these columns. */
function csv(names: readonly string[], mapping: Mapping = {}): Pick<Format, "matches" | "read"> {
  return {
    matches: ({ csv: { columns } }) => {
      const present = columns.map(canonicaliseName);
      return names.every((name) => present.includes(canonicaliseName(name)));
    },
    read: (text, { csv: header, withTexts }) =>
      readCsv(text, header, (values, line) => {
        const { columns } = header;
        const rest = values.slice(columns.length).join(header.delimiter);
        const record = columns.map((name, index) => [name || `column ${index + 1}`, values[index]] as const);
        return read([...record, ["beyond the last column", rest]], line, mapping, withTexts);
      }),
  };
}

/** A JSON format whose elements are in the array `key` and have these fields. */
function json(key: string, names: readonly string[], mapping: Mapping = {}): Pick<Format, "matches" | "read"> {
  return {
    matches: ({ element }) => element?.key === key && names.every((name) => name in element.fields),
    read: (text, head) => readJson(text, key, head, mapping),
  };
}

async function* readJson(
  text: AsyncIterable<string>,
  key: string,
  { withTexts }: Head,
  mapping: Mapping = {},
): AsyncGenerator<Row> {
  for await (const element of readElements(text)) {
    if ("problem" in element) yield element;
    else if (element.key === key) yield* read(Object.entries(element.fields), element.line, mapping, withTexts);
  }
}

function read(
  record: readonly (readonly [string, unknown])[],
  line: number,
  { uses = [], read: entryIn = readEntry, highlights, isOfTitle, slug, text }: Mapping,
  withTexts: boolean,
): readonly Row[] {
  const { fields, lost } = readFields(record, withTexts && text ? [...uses, text.field] : uses);
  const { problem, ...raw }: RawEntry & { problem?: string } = entryIn(fields);
  const page = problem === undefined ? toRow(raw, line, lost) : { problem, line };
  const marked = highlights?.(fields) ?? [];
  const markedIn = (url: unknown, title: unknown) =>
    marked.map(({ lost: lostOf, ...highlight }) => toHighlightRow({ ...highlight, url, title }, line, lostOf));
  if (isOfTitle?.(fields)) return markedIn("", raw.title);
  if ("problem" in page) return [page];
  const name = slug?.(fields);
  const html = withTexts && text?.of(fields);
  const others = { ...(typeof name === "string" && { slug: name }), ...(isText(html) && { text: html }) };
  return [{ ...page, ...others }, ...markedIn(raw.url, raw.title)];
}
