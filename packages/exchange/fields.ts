// SPDX-License-Identifier: MIT

import type { RawEntry } from "./row.ts";

/** The fields of a record of CSV or an object of JSON, by their canonicaliseName names. */
export type Fields = Readonly<Record<string, unknown>>;

/** The fields of a list, with their canonicaliseName names in files of other services. */
// biome-ignore format: a line holds many short names
export const fieldNames = {
  url: [
    "sourceurl", "htmlurl", "url", "link", "href", "uri", "address", "articleurl", "givenurl", "resolvedurl", "urlstring",
    "pageurl", "linkurl", "websiteurl", "canonicalurl", "originalurl", "canonical", "alternate",
    "permalink",
  ],
  title: [
    "customtitle", "title", "name", "articletitle", "resolvedtitle", "giventitle", "pagetitle", "linktitle",
    "headline", "text",
  ],
  tags: ["tags", "labels", "tagnames", "documenttags", "tag", "keywords", "taglist", "categories"],
  folder: ["folder", "collection", "foldername", "collectionname", "category"],
  state: ["state", "status"],
  read: ["read", "isread", "readat", "archive", "archived", "isarchived", "datelastviewed"],
  unread: ["unread", "toread", "isunread"],
  starred: [
    "starred",
    "isstarred",
    "favorite",
    "favorited",
    "favourite",
    "favourited",
    "important",
    "isfavorite",
    "isfavourite",
    "isfav",
    "ismarked",
  ],
  time: [
    "timeadded", "dateadded", "addedat", "added", "created", "createdat", "creationdate", "savedat", "saveddate",
    "datesaved", "datecreated", "createdon", "addedon", "bookmarkedat", "insertedat", "timestamp", "time", "date",
    "adddate", "published", "actiontimestamp",
  ],
  timeUpdated: ["timeupdated"],
  note: [
    "note",
    "notes",
    "comment",
    "comments",
    "annotation",
    "description",
    "extended",
    "desc",
    "memo",
    "customdescription",
  ],
} as const;

/** Fields that are not named as lost: the person did not enter them, or they can be read from the page again. */
// biome-ignore format: a line holds many short names
const technical = [
  "id", "itemid", "guid", "uuid", "slug", "hash", "hashedurl", "meta", "index", "type", "typecode", "kind", "root",
  "key", "fileid", "userid", "uid", "ownerid", "owner", "parentid", "collectionid", "createdbyid", "applicationid",
  "updatedat", "updated", "modified", "modifiedat", "datemodified", "lastmodified", "datearchived", "importdate",
  "datefavorited", "starredat", "archivedat", "datelastused", "lastvisit", "wordcount", "readingtime", "seen",
  "mimetype", "language", "lang", "textdirection", "charset", "domainname", "sitename", "site", "documenttype",
  "publisher", "publishedat", "publishedby", "author", "authors", "headers", "httpstatus", "loaded", "previewpicture",
  "preview", "thumbnail", "image", "cover", "icon", "iconuri", "hasarticle", "isdeleted", "private", "shared",
  "public", "ispublic", "visibility", "others", "resources", "websitetitle", "originurl", "webarchivesnapshoturl",
  "previewimageurl", "showicon", "source", "cursor", "lastcharset", "visited", "selfurl", "html", "favicon",
  "faviconurl", "urlhash", "imageurl", "sync", "webbookmarkuuid", "webbookmarktype", "webbookmarkfiletype",
  "webbookmarkidentifier", "readinglistnonsync", "previewtext", "datelastfetched", "folded", "version", "position",
  "order", "sortid", "direction", "active", "attention", "audible", "autodiscardable", "cookiestoreid", "discarded",
  "groupid", "height", "hidden", "highlighted", "incognito", "isarticle", "isinreadermode", "lastaccessed",
  "mutedinfo", "openertabid", "pinned", "selected", "sessionid", "sharingstate", "successortabid", "tabid", "width",
  "windowid", "0", "1", "2", "3", "4", "5", "6",
];

const known: ReadonlySet<string> = new Set([...Object.values(fieldNames).flat(), ...technical]);

/** Fields that are read only if they are text, numbers or truth values. */
const plain: ReadonlySet<string> = new Set(
  [fieldNames.state, fieldNames.read, fieldNames.unread, fieldNames.starred, fieldNames.note].flat(),
);

/** `time_added`, `timeAdded` and `Time added` are one name. */
export const canonicaliseName = (name: string) => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");

export const isKnownName = (name: string): boolean => known.has(canonicaliseName(name));

/** Whether one of the names is a field for the URL. */
export const hasUrlName = (names: readonly string[]) =>
  names.map(canonicaliseName).some((name) => (fieldNames.url as readonly string[]).includes(name));

/**
 * The fields of a record by their canonicaliseName names, and `lost`, the values that a list has no field for, by their original
 * names. `uses` are the additional fields that a format reads.
 */
export function readFields(
  entries: readonly (readonly [name: string, value: unknown])[],
  uses: readonly string[] = [],
): { fields: Fields; lost: Record<string, unknown> } {
  const fields: Record<string, unknown> = {};
  const lost: Record<string, unknown> = {};
  for (const [original, value] of entries) {
    const name = canonicaliseName(original);
    fields[name] = value;
    const isKnown = known.has(name) && !(isObject(value) && plain.has(name));
    if (!isKnown && !uses.includes(name) && hasValue(value)) lost[original] = value;
  }
  return { fields, lost };
}

const hasValue = (value: unknown) =>
  typeof value === "object" ? Object.keys(value ?? {}).length > 0 : isTrue(value) && value !== "[]" && value !== "{}";

const falseWords = ["", "0", "false", "no", "undefined"];
const isTrue = (value: unknown) => !isObject(value) && !falseWords.includes(String(value ?? "").toLowerCase());
const isFalse = (value: unknown) => value !== "" && value !== undefined && value !== null && !isTrue(value);

/** Only the outermost folders become tags. Without a limit, deep nesting takes quadratic time. */
export const maxFolders = 50;

/** Folders that services and browsers create, which do not become tags. */
const ownFolders = [
  "",
  "unsorted",
  "unorganized",
  "unread",
  "inbox",
  "archive",
  "starred",
  "com.apple.readinglist",
  "bookmarksbar",
  "bookmarksmenu",
];
// biome-ignore format: a line holds many short names
export const isFolderOfService = (name: string) => ownFolders.includes(name.toLowerCase());

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
const isGiven = (value: unknown) => value !== undefined && value !== null && value !== "";

/** The address in a field: text, an object with an address, or an array of these. */
function urlIn(value: unknown): unknown {
  if (!isObject(value)) return typeof value === "string" ? value.trim() : value;
  if (Array.isArray(value)) return Array.isArray(value[0]) ? undefined : urlIn(value[0]);
  return findUrl(readFields(Object.entries(value).filter(([, inner]) => !isObject(inner))).fields);
}

/** The address that fields with usual names have; undefined without one. */
export function findUrl(fields: Fields): unknown {
  for (const name of fieldNames.url) {
    const url = isGiven(fields[name]) ? urlIn(fields[name]) : undefined;
    if (isGiven(url)) return url;
  }
  return undefined;
}

/** The entry of fields with usual names. `separators`: what separates the tags of a text. */
export function readEntry(fields: Fields, separators?: RegExp): RawEntry {
  const first = (of: keyof typeof fieldNames) => fieldNames[of].map((name) => fields[name]).find(isGiven);
  const readWord = (of: "folder" | "state") => String(first(of) ?? "").toLowerCase();
  const folder = readWord("folder");
  const title = first("title");
  const folders = fieldNames.folder.flatMap((name) => nameIn(fields[name]) ?? fields[name] ?? []).filter(isFolder);
  const tagLists = fieldNames.tags.map((name) => fields[name]).filter(isGiven);
  const names = tagLists.flatMap((list) => namesIn(list, separators));
  return {
    url: findUrl(fields),
    title: typeof title === "number" ? String(title) : title,
    tags: [...folders, ...names],
    isRead:
      ["read", "archive", "archived"].includes(readWord("state")) ||
      folder === "archive" ||
      fieldNames.read.some((name) => isTrue(fields[name])) ||
      fieldNames.unread.some((name) => isFalse(fields[name])),
    isStarred: folder === "starred" || fieldNames.starred.some((name) => isTrue(fields[name])),
    timeAdded: first("time"),
    timeUpdated: first("timeUpdated"),
    note: joinNotes(fields),
    lost: {
      ...(isObject(title) && { "title in an unknown format": title }),
      ...(names.length === 0 &&
        tagLists.some((list) => hasValue(list)) && { "tags in an unknown format": tagLists[0] }),
    },
  };
}

/** The texts of all fields for notes, each once. */
const joinNotes = (fields: Fields) =>
  [
    ...new Set(
      fieldNames.note.map((name) => fields[name]).filter((note) => typeof note === "string" && note.trim() !== ""),
    ),
  ]
    .map((note) => String(note).trim())
    .join("\n\n");

const isFolder = (name: unknown) => typeof name === "string" && !isFolderOfService(name);

/**
 * The names in a list: an array of names or of objects with a name, a map of such objects, or text, which may be JSON or
 * written like it by Python.
 */
export function namesIn(list: unknown, separators = /[,;|]/): string[] {
  if (typeof list === "number") return [String(list)];
  if (typeof list === "string") {
    const text = list.trim();
    const isList = /^[[{].*[\]}]$/s.test(text);
    const parsed = isList ? parse(text) : text;
    if (typeof parsed === "object") return namesIn(parsed);
    const quoted = isList ? parseQuotedNames(text) : [];
    return quoted.length > 0
      ? quoted
      : String(parsed)
          .split(separators)
          .map((name) => name.trim());
  }
  if (!isObject(list)) return [];
  const single = nameIn(list);
  if (single !== undefined) return [single];
  return Object.entries(list).flatMap(([key, value]) => {
    const name = nameIn(value);
    if (name !== undefined) return [name];
    // A map has names as keys, but XML has `<tags><entry>a</entry></tags>`.
    if (!Array.isArray(list) && !xmlEntries.includes(key)) return [key];
    return [value].flat().filter(isName).map(String);
  });
}

const isName = (value: unknown) => typeof value === "string" || typeof value === "number";
const xmlEntries = ["entry", "item", "tag", "label", "name"];

function nameIn(value: unknown): string | undefined {
  if (!isObject(value) || Array.isArray(value)) return undefined;
  const { label, tag, title, name = title ?? label ?? tag } = value as Record<string, unknown>;
  return typeof name === "string" ? name : undefined;
}

/** The names in the text of a list as JSON or Python write it: `["a","b"]`, `['a', 'b']`. */
function parseQuotedNames(list: string): string[] {
  // bounded: a file of the person who imports it, in that person's browser or command
  const quoted = list.matchAll(/'((?:[^'\\]|\\.)*)'|"(?:[^"\\]|\\.)*"/g);
  return [...quoted].map(([name, inSingle]) =>
    inSingle === undefined ? String(parse(name)) : inSingle.replaceAll(/\\(.)/g, "$1"),
  );
}

/** The value of JSON; else the text within its first and last character. */
function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json.slice(1, -1);
  }
}
