// SPDX-License-Identifier: MIT

import { parseWebUrl } from "@reading-list/core/domain/page-fields.ts";
import { takeUpTo } from "./chunks.ts";
import { readCollections } from "./collections.ts";
import { readCsv } from "./csv.ts";
import { isHighlight, type Row } from "./entry.ts";
import { canonicaliseName, type Fields, findUrl, hasUrlName, namesIn, readEntry } from "./fields.ts";
import type { Head } from "./head.ts";
import { readBookmarks } from "./html.ts";
import { parseObject, readJsonLines } from "./json-lines.ts";
import { linkIn, readLinks } from "./links.ts";
import { isText, type Mapping, readPage, readPost } from "./mapping.ts";
import { hasPage, isPage, pagesIn } from "./pages-in.ts";
import { readPropertyList } from "./property-list.ts";
import { parseTime, type RawHighlight } from "./row.ts";
import { isSingleFile, readSingleFile } from "./single-file.ts";
import { readUrls } from "./url-list.ts";
import { originalText } from "./write-csv.ts";
import { isPageXml, readXml } from "./xml.ts";

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
// biome-ignore format: a line holds many short names
const annotationOfReadeck = [
  "text", "created", "color", "note", "bookmarkid", "bookmarkhref", "bookmarkurl", "bookmarktitle",
  "bookmarksitename", "href",
];

/** Fields of an item of Pocket that are derived from the page, or belong to the app. */
// biome-ignore format: a line holds many short names
const ofPocket = [
  "resolvedid", "excerpt", "isarticle", "isindex", "hasvideo", "hasimage", "listendurationestimate", "timeread",
  "timefavorited", "images", "videos", "topimageurl", "domainmetadata", "ampurl", "timetoread", "loginrequired",
];
/** Fields of an item of Google Reader's API that belong to the feed, or to the service. */
const ofGoogleReader = [
  "crawltimemsec",
  "timestampusec",
  "annotations",
  "likingusers",
  "comments",
  "commentsnum",
  "via",
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
    notes: "archived pages are read; annotations become highlights; with texts",
    ...json("", ["url", "is_archived", "created_at"], {
      uses: ["annotations"],
      // Our own file has the URL as it was saved.
      read: (fields) => ({ ...readEntry(fields), url: fields.url }),
      // For a page that wallabag could not read, its file has a message instead of the text.
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
    notes: "without times",
    ...json("", ["url", "is_read", "is_fav"]),
  },
  {
    name: "readeck",
    title: "Readeck JSON (answers of its API)",
    notes: "archived pages are read; annotations become highlights",
    ...json("", ["url", "labels", "is_archived", "created"], {
      uses: ["annotations"],
      highlights: ({ annotations }) =>
        objectsIn(annotations).map(({ text, created, ...rest }) => ({ ...rest, quote: text, timeCreated: created })),
    }),
  },
  {
    name: "readeck-export",
    title: "Readeck's export (the zip of `readeck export` for one user)",
    notes: "archived pages are read; annotations become highlights; with texts and pictures",
    matches: ({ text }) => /^\{"ID":\d+,"UID":"/.test(text),
    read: readBookmarkOfReadeck,
  },
  {
    name: "readeck-annotations",
    title: "Readeck's list of annotations (JSON of `bookmarks/annotations`)",
    notes: "highlights; pages that are not in the list are added as read",
    ...withEachPageOnce(
      json("", ["text", "bookmark_url", "bookmark_title", "created"], {
        uses: annotationOfReadeck,
        read: ({ bookmarkurl: url, bookmarktitle: title, created: timeAdded }) => ({
          url,
          title,
          timeAdded,
          isRead: true,
        }),
        highlights: (fields) => [toReadeckHighlight(fields)],
      }),
    ),
  },
  {
    name: "omnivore",
    title: "Omnivore zip, or one of its `metadata_….json` files",
    notes: "archived pages are read; the zip contains highlights and texts",
    ...json("", ["url", "slug", "savedAt"], {
      uses: ["readingprogress"],
      // The description belongs to the page.
      read: ({ description, ...fields }) => ({
        ...readEntry(fields),
        ...(isText(description) && { lost: { description } }),
        progress: parseProgress(Number(fields.readingprogress), fields.updatedat ?? fields.savedat),
      }),
      slug: ({ slug }) => slug,
    }),
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
    ...json("", ["href", "description", "extended"], { read: readPost }),
  },
  {
    name: "karakeep",
    title: "Karakeep (Hoarder) JSON",
    notes:
      "archived pages are read; lists, and texts without a link, are not imported; answers of its API may contain texts",
    ...json("bookmarks", ["createdAt", "content"], {
      uses: ["content"],
      text: { field: "content", of: ({ content }) => (content as { htmlContent?: unknown } | null)?.htmlContent },
      read: (fields) => ({ ...readEntry(fields), url: (fields.content as { url?: unknown } | null)?.url }),
    }),
  },
  {
    name: "linkding",
    title: "linkding JSON (answers of its API)",
    notes: "pages that are archived or not `unread` are read",
    ...json("results", ["url", "tag_names", "date_added"]),
  },
  {
    name: "readability",
    title: "Readability JSON",
    notes: "archived pages are read",
    ...json("bookmarks", ["article__url", "date_added"]),
  },
  {
    name: "linkwarden",
    title: "Linkwarden JSON",
    notes: "collections become tags",
    matches: ({ json }) => Array.isArray(json?.elements.get("collections")?.fields.links),
    read: readCollections,
  },
  {
    name: "pocket-api",
    title: "Pocket's API (its `list` as a map or an array, or only the items)",
    notes: "status 1 is read; items with status 2 were deleted, and are rejected; annotations are highlights",
    ...json(undefined, ["given_url", "item_id"], {
      uses: ["annotations", ...ofPocket],
      read: (fields) => ({
        ...readEntry(fields),
        isRead: String(fields.status) === "1",
        timeUpdated: undefined,
        ...(String(fields.status) === "2" && { problem: "it was deleted in Pocket" }),
      }),
      highlights: ({ annotations }) =>
        objectsIn(annotations).map(({ quote, created_at: timeCreated }) => ({ quote, timeCreated })),
    }),
  },
  {
    name: "starred",
    title: "`starred.json` of Inoreader, Feedly, Google Reader and others",
    notes: "labels are tags; every page is starred",
    ...json("items", ["title", "origin"], {
      uses: ["origin", "summary", "content", "enclosure", ...ofGoogleReader],
      read: (fields) => ({
        ...readEntry({ ...fields, starred: undefined, categories: undefined, description: undefined }),
        url: findUrl({ canonical: fields.canonical }) ?? findUrl({ alternate: fields.alternate }),
        tags: (Array.isArray(fields.categories) ? fields.categories : []).flatMap((name) =>
          typeof name === "string" ? (/^user\/[^/]+\/label\/(.+)$/.exec(name)?.[1] ?? []) : namesIn([name]),
        ),
        isStarred: true,
        isRead: String(fields.categories).includes("/state/com.google/read"),
        timeAdded: [fields.starred, fields.crawltimemsec, fields.published].find((time) => Number(time) > 1),
      }),
    }),
  },
  {
    name: "firefox",
    title: "Firefox JSON backup",
    notes: "folders become tags",
    matches: ({ text }) => text.startsWith("{") && /"type"\s*:\s*"text\/x-moz-place/.test(text),
    read: readAnyJson,
  },
  {
    name: "chrome",
    title: "Chrome's file `Bookmarks`, also from Edge, Brave and Vivaldi",
    notes: "folders become tags",
    matches: ({ text }) => text.startsWith("{") && /"roots"\s*:\s*\{\s*"/.test(text),
    read: readAnyJson,
  },
  {
    name: "json",
    title: "any JSON with objects that have a field for the URL, such as Session Buddy, Toby and Tab Session Manager",
    notes:
      "an array, a map, lines, one object, or folders and sessions, whose names become tags; see [fields](#fields-that-are-known-by-their-name)",
    matches: ({ json }) => [...(json?.elements.values() ?? [])].some(({ fields }) => hasPage(fields)),
    read: readAnyJson,
  },
  {
    name: "safari",
    title: "Safari's `Bookmarks.plist` (XML or binary)",
    notes: "folders become tags; opened pages of its reading list are read",
    matches: ({ text }) => /^(<\?xml[^>]*>\s*)?(<!DOCTYPE plist\b[^>]*>\s*)?<plist\b/.test(text.slice(0, 1000)),
    read: readPropertyList,
  },
  {
    name: "xml",
    title: "XML: Pinboard and Delicious (`posts/all`), wallabag, XBEL, OPML, Evernote (ENEX)",
    notes:
      "folders become tags; notes of Evernote need a source; the sites of feeds in OPML are imported as pages only with `--feeds`",
    matches: ({ text }) => isPageXml(text),
    read: readXml,
  },
  {
    name: "single-file",
    title: "a page that SingleFile has saved (HTML)",
    notes: "imports its text and pictures",
    matches: ({ text }) => isSingleFile(text),
    read: readSingleFile,
  },
  {
    name: "pocket-html",
    title: "Pocket `ril_export.html`",
    notes: "pages in `Read Archive` are read",
    matches: ({ text }) => text.startsWith("<") && /<title>Pocket Export<\/title>/i.test(text),
    read: readBookmarks,
  },
  {
    name: "netscape",
    title: "Netscape bookmarks (HTML) of browsers and most services",
    notes: '`TAGS` and folders become tags; pages with `TOREAD="0"`, or archived in linkding, are read',
    // bounded: a file of the person who imports it, in that person's browser or command
    matches: ({ text }) => text.startsWith("<") && /<!DOCTYPE NETSCAPE-Bookmark-file|<a\s[^>]*href/i.test(text),
    read: readBookmarks,
  },
  {
    name: "pocket-csv",
    title: "Pocket CSV, or the zip that contains it",
    notes: "`|` separates tags",
    ...csv(["title", "url", "time_added", "tags", "status"], {
      // Our own file has URL and tags as they were saved.
      read: ({ tags, ...fields }) => ({ ...readEntry(fields), url: fields.url, tags: String(tags ?? "").split("|") }),
    }),
  },
  {
    name: "instapaper",
    title: "Instapaper CSV",
    notes:
      "pages in the folder `Archive` are read, in `Starred` starred; other folders become tags; a selection becomes a highlight",
    ...csv(["url", "title", "selection", "folder"], {
      uses: ["selection"],
      highlights: ({ selection, timestamp }) =>
        isText(selection) ? [{ quote: selection.trim(), timeCreated: timestamp }] : [],
    }),
  },
  {
    name: "readwise",
    title: "Readwise CSV of highlights",
    notes:
      "a row with a URL adds a missing page as read; a row without one uses the page in the list with exactly this title",
    ...readwise(),
  },
  {
    name: "readwise-reader",
    title: "Readwise Reader CSV",
    notes: "pages with the location `archive` are read; items of feeds are rejected",
    ...csv(["url", "document tags", "saved date", "location"], {
      uses: ["location", "readingprogress"],
      read: (fields) => ({
        ...readEntry(fields),
        ...(fields.location === "feed" && { problem: "an item of a feed that was not saved" }),
        isRead: fields.location === "archive",
        progress: parseProgress(100 * Number(fields.readingprogress), fields.saveddate),
      }),
    }),
  },
  {
    name: "matter",
    title: "Matter CSV",
    notes:
      "`;` separates tags; pages that are read or not in the queue are read; the last interaction becomes the time added",
    ...csv(["url", "tags", "in queue", "last interaction date"], {
      uses: ["inqueue", "lastinteractiondate"],
      read: (fields) => ({
        ...readEntry(fields, /;/),
        isRead: fields.read === "True" || fields.inqueue === "False",
        timeAdded: fields.lastinteractiondate,
      }),
    }),
  },
  {
    name: "wallabag-csv",
    title: "wallabag CSV",
    notes: "without states",
    ...csv(["title", "url", "mime type", "creation date"], { read: (fields) => readEntry(fields, /,/) }),
  },
  {
    name: "diigo",
    title: "Diigo CSV",
    notes: "",
    ...csv(["url", "tags", "annotations", "created_at"], {
      read: (fields) => readEntry({ ...fields, tags: fields.tags === "no_tag" ? "" : fields.tags }),
    }),
  },
  {
    name: "csv",
    title: "any CSV with a column for the URL",
    notes: "see [fields](#fields-that-are-known-by-their-name)",
    ...csv([], {
      // Our own file keeps a URL and tags as they are.
      read: ({ title, tags, note, ...fields }) => {
        const [ownTitle, ownTags, ownNote] = [title, tags, note].map((text) => originalText(String(text ?? "")));
        const isOwn = "timeupdated" in fields;
        const entry = readEntry({ ...fields, title: ownTitle, tags: isOwn ? "" : ownTags, note: ownNote });
        return isOwn ? { ...entry, url: fields.url, tags: [ownTags] } : entry;
      },
    }),
    matches: ({ csv: { columns } }) => hasUrlName(columns),
  },
  {
    name: "links",
    title: "Markdown and Org lists of links",
    notes: "the text after a link becomes its note; a checked box means read",
    matches: ({ text }) => text.split("\n", 100).some((line) => linkIn(line) !== undefined),
    read: readLinks,
  },
  {
    name: "urls",
    title: "a URL on each line; a title may follow it, as in OneTab's list",
    notes: "a line in which a separator follows the URL is rejected",
    matches: ({ text }) => {
      const [first = ""] = text.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("#"));
      return parseWebUrl(first.trim().split(/\s/, 1)[0] ?? "") !== undefined;
    },
    read: readUrls,
  },
];

function isJsonLine(line: string): boolean {
  const fields = parseObject(line);
  if (!fields || "sha256" in fields) return fields !== undefined;
  return "url" in fields && "state" in fields && Object.keys(fields).every((name) => ownFields.includes(name));
}

const ownFields = [
  // biome-ignore format: a line holds many short names
  "url",
  "title",
  "tags",
  "state",
  "time_added",
  "time_updated",
  "item_id",
  "number",
  "application_id",
  "ref_id",
  "progress",
];

/** Readwise's own export, and the form in which it imports highlights, which has the URL of the page. */
function readwise(): Pick<Format, "matches" | "read"> {
  const readTitle = ({ booktitle, title = booktitle }: Fields) => title;
  const readTime = ({ highlightedat, date = highlightedat }: Fields) => date;
  const { matches, read } = csv(["highlight"], {
    uses: [
      "highlight",
      "note",
      "color",
      "booktitle",
      "bookauthor",
      "amazonbookid",
      "highlightedat",
      "location",
      "locationtype",
    ],
    isOfTitle: (fields) => !isText(fields.url),
    read: (fields) => ({
      url: fields.url,
      title: readTitle(fields),
      isRead: true,
      timeAdded: readTime(fields),
      tags: String(fields.documenttags ?? "").split(","),
    }),
    highlights: (fields) => [
      {
        quote: textIn(fields.highlight),
        note: fields.note,
        color: fields.color,
        timeCreated: readTime(fields),
        // The tags belong to the highlight.
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
    yield { problem: "not the JSON of a bookmark", line: 1 };
    return;
  }
  yield* readPage({ fields: Object.entries(bookmark) }, 1, bookmarkOfReadeck, withTexts);
}

const bookmarkOfReadeck: Mapping = {
  // biome-ignore format: a line holds many short names
  // Readeck derives most of these fields from the page.
  uses: [
    "state", "initialurl", "domain", "text", "duration", "embed", "filepath", "files", "errors", "links",
    "readprogress", "readanchor", "annotations",
  ],
  read: (fields) => ({ ...readEntry(fields), progress: parseProgress(Number(fields.readprogress), fields.updated) }),
  highlights: ({ annotations }) => objectsIn(annotations).map(toReadeckHighlight),
};

const toReadeckHighlight = ({ text, created, color, note }: Fields): RawHighlight => ({
  quote: text,
  color,
  note,
  timeCreated: created,
});

const textIn = (value: unknown) => (typeof value === "string" ? value.trim() : value);

/** How far a page was read, at a time of the file; undefined if it was not begun. */
const parseProgress = (percent: number, time: unknown) =>
  percent > 0 ? { percent: Math.min(100, Math.round(percent)), anchor: "", time: parseTime(time) } : undefined;

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

/** A CSV format whose header has these columns. */
function csv(names: readonly string[], mapping: Mapping = {}): Pick<Format, "matches" | "read"> {
  return {
    matches: ({ csv: { columns } }) => {
      const present = columns.map(canonicaliseName);
      return names.every((name) => present.includes(canonicaliseName(name)));
    },
    async *read(text, { csv: header, withTexts }) {
      const { columns, delimiter } = header;
      let preface = header.preface;
      for await (const row of readCsv(text, header, (values, line) => {
        const rest = values.slice(columns.length).join(delimiter);
        const record = columns.map((name, index) => [name || `column ${index + 1}`, values[index]] as const);
        return readPage({ fields: [...record, ["beyond the last column", rest]] }, line, mapping, withTexts);
      })) {
        const isPage = preface !== "" && !("problem" in row);
        yield isPage ? { ...row, lost: { ...row.lost, "text above the columns": preface } } : row;
        if (isPage) preface = "";
      }
    },
  };
}

/** A JSON format whose elements have these fields, and are in the array `key`, or anywhere if that is undefined. */
function json(
  key: string | undefined,
  names: readonly string[],
  mapping: Mapping = {},
): Pick<Format, "matches" | "read"> {
  const find = ({ json }: Head) =>
    [...(json?.elements.values() ?? [])].find(
      (element) => (key === undefined || element.key === key) && names.every((name) => name in element.fields),
    );
  return {
    matches: (head) => find(head) !== undefined,
    async *read(text, head) {
      const ofFormat = find(head)?.key;
      for await (const element of head.json?.read(text) ?? []) {
        if ("problem" in element) yield element;
        else if (element.key === ofFormat)
          yield* readPage({ fields: Object.entries(element.fields) }, element.line, mapping, head.withTexts);
      }
    },
  };
}

/** The pages that are somewhere in the objects of a JSON file. */
async function* readAnyJson(text: AsyncIterable<string>, { json, withTexts }: Head): AsyncGenerator<Row> {
  // Objects beside pages should be pages, too; folders may be empty.
  const [, first] = [...(json?.elements ?? [])].find(([, { fields }]) => hasPage(fields)) ?? [];
  const isFlat = first !== undefined && isPage(first.fields);
  for await (const element of json?.read(text) ?? []) {
    if ("problem" in element) {
      yield element;
      continue;
    }
    const { key, fields, line } = element;
    for (const page of pagesIn(fields)) yield* readPage(page, line, {}, withTexts);
    if (isFlat && key === first.key && !hasPage(fields))
      yield* readPage({ fields: Object.entries(fields) }, line, {}, false);
  }
}
