import { parseWebUrl } from "@reading-list/core/domain/page-fields.ts";
import { type CsvHeader, type CsvRecord, readCsv } from "./csv.ts";
import type { Row } from "./entry.ts";
import { readBookmarks } from "./html.ts";
import { type JsonElement, readElements } from "./json.ts";
import { readJsonLines } from "./json-lines.ts";
import { type RawEntry, rowOf } from "./row.ts";
import { readUrls } from "./url-list.ts";

/** The beginning of a file, from which its format is told. */
export interface Head {
  /** Without leading white space. */
  text: string;
  csv: CsvHeader;
  /** The first object of a JSON file. */
  element?: JsonElement | undefined;
}

/** A format that can be read. */
export interface Format {
  name: string;
  /** The file, for people. */
  title: string;
  /** What a file of this format tells of a page besides its URL and title. */
  tags: string;
  state: string;
  timeAdded: string;
  matches: (head: Head) => boolean;
  read: (text: AsyncIterable<string>, head: Head) => AsyncGenerator<Row>;
}

/** All formats, in the order in which a file is compared with them. */
export const formats: readonly Format[] = [
  {
    name: "json-lines",
    title: "JSON Lines of this service",
    tags: "all",
    state: "all",
    timeAdded: "seconds, and `time_updated`",
    matches: ({ text }) => isJsonLine(text.split("\n", 1)[0] ?? ""),
    read: readJsonLines,
  },
  {
    name: "users-export",
    title: "JSON of `readinglist users export` (0.1.0)",
    tags: "all",
    state: "all",
    timeAdded: "seconds, and `time_updated`",
    ...json("items", ["url", "time_added", "application_id"], (item) => ({
      url: item.url,
      title: item.title,
      tags: [item.tags],
      isRead: item.state === "1",
      timeAdded: item.time_added,
      timeUpdated: item.time_updated,
    })),
  },
  {
    name: "wallabag",
    title: "wallabag JSON",
    tags: "all",
    state: "archived is read",
    timeAdded: "seconds",
    ...json("", ["url", "is_archived", "created_at"], ({ url, title, tags, is_archived, created_at }) => ({
      ...{ url, title, tags: listOf(tags), isRead: Boolean(is_archived), timeAdded: created_at },
    })),
  },
  {
    name: "readeck",
    title: "Readeck JSON (answers of its API)",
    tags: "labels",
    state: "archived is read",
    timeAdded: "seconds",
    ...json("", ["url", "labels", "is_archived", "created"], ({ url, title, labels, is_archived, created }) => ({
      ...{ url, title, tags: listOf(labels), isRead: is_archived === true, timeAdded: created },
    })),
  },
  {
    name: "omnivore",
    title: "Omnivore zip, or a `metadata_….json` of it",
    tags: "labels",
    state: "archived is read",
    timeAdded: "seconds",
    ...json("", ["url", "slug", "savedAt"], ({ url, title, labels, state, savedAt }) => ({
      ...{
        url,
        title,
        tags: listOf(labels).map(nameOf),
        isRead: /^archived$/i.test(String(state)),
        timeAdded: savedAt,
      },
    })),
  },
  {
    name: "karakeep",
    title: "Karakeep (Hoarder) JSON",
    tags: "all; lists are not read",
    state: "archived is read",
    timeAdded: "seconds",
    ...json("bookmarks", ["createdAt", "content"], ({ content, title, tags, archived, createdAt }) => ({
      url: (content as { url?: unknown } | null)?.url,
      ...{ title, tags: listOf(tags), isRead: archived === true, timeAdded: createdAt },
    })),
  },
  {
    name: "linkding",
    title: "linkding JSON (answers of its API)",
    tags: "all",
    state: "not `unread`, or archived, is read",
    timeAdded: "seconds",
    ...json("results", ["url", "tag_names", "date_added"], (bookmark) => ({
      url: bookmark.url,
      title: bookmark.title,
      tags: listOf(bookmark.tag_names),
      isRead: bookmark.unread === false || bookmark.is_archived === true,
      timeAdded: bookmark.date_added,
    })),
  },
  {
    name: "pocket-html",
    title: "Pocket `ril_export.html`",
    tags: "all",
    state: "`Read Archive` is read",
    timeAdded: "seconds",
    matches: ({ text }) => text.startsWith("<") && /<title>Pocket Export<\/title>/i.test(text),
    read: readBookmarks,
  },
  {
    name: "netscape",
    title: "Netscape bookmarks (HTML) of browsers and most services",
    tags: "`TAGS`, and the folders",
    state: '`TOREAD="0"` is read',
    timeAdded: "seconds",
    matches: ({ text }) => text.startsWith("<") && /<!DOCTYPE NETSCAPE-Bookmark-file|<a\s[^>]*href/i.test(text),
    read: readBookmarks,
  },
  {
    name: "pocket-csv",
    title: "Pocket CSV, or the zip with it",
    tags: "all",
    state: "`archive` is read",
    timeAdded: "seconds",
    ...csv(["title", "url", "time_added", "tags", "status"], ({ title, url, time_added, tags = "", status }) => ({
      ...{ url, title, tags: tags.split("|"), isRead: status === "archive", timeAdded: time_added },
    })),
  },
  {
    name: "instapaper",
    title: "Instapaper CSV",
    tags: "all, and the folder",
    state: "folder `Archive` is read",
    timeAdded: "seconds",
    ...csv(["url", "title", "selection", "folder", "timestamp"], ({ url, title, folder = "", timestamp, tags }) => ({
      ...{ url, title, isRead: folder === "Archive", timeAdded: timestamp },
      tags: [...(["Unread", "Archive"].includes(folder) ? [] : [folder]), ...namesIn(tags)],
    })),
  },
  {
    name: "csv",
    title: "any CSV with a column for the URL (`url`, `link`, `href`, `uri`, `address`)",
    tags: "column `tags` or `labels`, by comma",
    state: "column `state` or `status`: `read`, `archive` or `archived`",
    timeAdded: "column `time_added`, `created`, `created_at`, `date_added`, `date`, `saved_at` or `timestamp`",
    matches: ({ csv: { columns } }) => urlColumns.some((name) => columns.includes(name)),
    read: (text, { csv: header }) =>
      readCsv(text, header, (record) => ({
        url: firstOf(record, urlColumns),
        title: firstOf(record, ["title", "name"]),
        tags: [firstOf(record, ["tags", "labels"])],
        isRead: ["read", "archive", "archived"].includes(firstOf(record, ["state", "status"])?.toLowerCase() ?? ""),
        timeAdded: firstOf(record, timeColumns),
        timeUpdated: record.time_updated,
      })),
  },
  {
    name: "urls",
    title: "a URL on each line; a title may follow it",
    tags: "none",
    state: "all unread",
    timeAdded: "none",
    matches: ({ text }) => {
      const [first = ""] = text.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("#"));
      return parseWebUrl(first.trim().split(/\s/, 1)[0] ?? "") !== undefined;
    },
    read: readUrls,
  },
];

const urlColumns = ["url", "link", "href", "uri", "address"];
const timeColumns = ["time_added", "created", "created_at", "date_added", "date", "saved_at", "timestamp"];

const firstOf = (record: CsvRecord, names: readonly string[]): string | undefined =>
  names.map((name) => record[name]).find((value) => value !== undefined);

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const nameOf = (label: unknown): unknown => (label as { name?: unknown } | null)?.name ?? label;

/** The names in a JSON array, as Instapaper writes tags. */
function namesIn(text = ""): readonly unknown[] {
  try {
    return listOf(JSON.parse(text));
  } catch {
    return [];
  }
}

function isJsonLine(line: string): boolean {
  try {
    const fields = JSON.parse(line);
    return (
      typeof fields === "object" && fields !== null && ("sha256" in fields || ("url" in fields && "state" in fields))
    );
  } catch {
    return false;
  }
}

/** A CSV format whose header has these columns. */
function csv(columns: readonly string[], entryOf: (record: CsvRecord) => RawEntry): Pick<Format, "matches" | "read"> {
  return {
    matches: ({ csv: header }) => columns.every((name) => header.columns.includes(name)),
    read: (text, { csv: header }) => readCsv(text, header, entryOf),
  };
}

/** A JSON format whose elements are in the array `key` and have these fields. */
function json(
  key: string,
  marks: readonly string[],
  entryOf: (fields: Record<string, unknown>) => RawEntry,
): Pick<Format, "matches" | "read"> {
  return {
    matches: ({ element }) => element?.key === key && marks.every((name) => name in element.fields),
    read: async function* (text) {
      for await (const element of readElements(text)) {
        if ("problem" in element) yield element;
        else if (element.key === key) yield rowOf(entryOf(element.fields), element.line);
      }
    },
  };
}
