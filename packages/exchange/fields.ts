// SPDX-License-Identifier: MIT

import type { RawEntry } from "./row.ts";

/** The fields of a record of CSV or an object of JSON, by their canonicaliseName names. */
export type Fields = Readonly<Record<string, unknown>>;

/** The fields of a list, with their canonicaliseName names in files of other services. */
export const fieldNames = {
  url: ["url", "link", "href", "uri", "address", "articleurl"],
  title: ["title", "name", "articletitle"],
  tags: ["tags", "labels", "tagnames", "documenttags"],
  folder: ["folder", "collection"],
  state: ["state", "status"],
  read: ["read", "isread", "readat", "archive", "archived", "isarchived"],
  unread: ["unread", "toread"],
  starred: [
    "starred",
    "isstarred",
    "favorite",
    "favorited",
    "favourite",
    "favourited",
    "important",
    "isfavorite",
    "isfav",
    "ismarked",
  ],
  time: [
    ...["timeadded", "dateadded", "addedat", "added", "created", "createdat", "creationdate", "savedat", "saveddate"],
    ...["timestamp", "time", "date"],
  ],
  timeUpdated: ["timeupdated"],
} as const;

/** Fields that are not named as lost: the person did not enter them, or they can be read from the page again. */
const technical = [
  ...["id", "itemid", "guid", "uuid", "slug", "hash", "hashedurl", "meta", "index", "type", "typecode", "kind", "root"],
  ...["key", "fileid", "userid", "uid", "ownerid", "owner", "parentid", "collectionid", "createdbyid", "applicationid"],
  ...["updatedat", "updated", "modified", "modifiedat", "datemodified", "lastmodified", "datearchived", "importdate"],
  ...["datefavorited", "starredat", "archivedat", "datelastused", "lastvisit", "wordcount", "readingtime", "seen"],
  ...["mimetype", "language", "lang", "textdirection", "charset", "domainname", "sitename", "site", "documenttype"],
  ...["publisher", "publishedat", "published", "publishedby", "author", "authors", "headers", "httpstatus", "loaded"],
  ...["previewpicture", "preview", "thumbnail", "image", "cover", "icon", "iconuri", "favicon", "faviconurl"],
  ...["hasarticle", "isdeleted", "private", "shared", "public", "ispublic", "visibility", "others", "resources"],
  ...["websitetitle", "givenurl", "originurl", "webarchivesnapshoturl", "previewimageurl", "showicon", "source"],
  // wallabag 1 writes each field a second time, with a number as its name.
  ...["0", "1", "2", "3", "4", "5", "6"],
];

const known: ReadonlySet<string> = new Set([...Object.values(fieldNames).flat(), ...technical]);

/** `time_added`, `timeAdded` and `Time added` are one name. */
export const canonicaliseName = (name: string) => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");

export const hasUrl = (given: readonly string[]) => fieldNames.url.some((name) => given.includes(name));

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
    if (!known.has(name) && !uses.includes(name) && hasValue(value)) lost[original] = value;
  }
  return { fields, lost };
}

const hasValue = (value: unknown) =>
  typeof value === "object" ? Object.keys(value ?? {}).length > 0 : isTrue(value) && value !== "[]";

const falseWords = ["", "0", "false", "no", "undefined"];
const isTrue = (value: unknown) => !falseWords.includes(String(value ?? "").toLowerCase());
const isFalse = (value: unknown) => value !== "" && value !== undefined && value !== null && !isTrue(value);

/** Only the outermost folders become tags. Without a limit, deep nesting takes quadratic time. */
export const maxFolders = 50;

/** Folders that services create, which do not become tags. */
const ownFolders = ["", "unsorted", "unorganized", "unread", "inbox", "archive", "starred"];

/** The entry of fields with usual names. */
export function readEntry(fields: Fields): RawEntry {
  const first = (of: keyof typeof fieldNames) =>
    fieldNames[of].map((name) => fields[name]).find((value) => value !== undefined && value !== null && value !== "");
  const wordOf = (of: "folder" | "state") => String(first(of) ?? "").toLowerCase();
  const folder = wordOf("folder");
  return {
    url: first("url"),
    title: first("title"),
    tags: [...(ownFolders.includes(folder) ? [] : [first("folder")]), ...listNames(first("tags"))],
    isRead:
      ["read", "archive", "archived"].includes(wordOf("state")) ||
      folder === "archive" ||
      fieldNames.read.some((name) => isTrue(fields[name])) ||
      fieldNames.unread.some((name) => isFalse(fields[name])),
    isStarred: folder === "starred" || fieldNames.starred.some((name) => isTrue(fields[name])),
    timeAdded: first("time"),
    timeUpdated: first("timeUpdated"),
  };
}

/** The names in a list: an array of names or of objects with a name, a map of such objects, or text. */
function listNames(list: unknown): readonly unknown[] {
  if (typeof list !== "object" || list === null) return [list];
  return Object.entries(list).map(([key, value]) => nameIn(value) ?? (Array.isArray(list) ? value : key));
}

function nameIn(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  const { label, tag, title, name = title ?? label ?? tag } = value as Record<string, unknown>;
  return name;
}

/** The names in the text of a list as JSON or Python write it: `["a","b"]`, `['a', 'b']`. */
export function parseQuotedNames(list: unknown): string[] {
  // bounded: a file of the person who imports it, in that person's browser or command
  const quoted = String(list).matchAll(/'((?:[^'\\]|\\.)*)'|"(?:[^"\\]|\\.)*"/g);
  return [...quoted].map(([name, inSingle]) =>
    inSingle === undefined ? String(parse(name)) : inSingle.replaceAll(/\\(.)/g, "$1"),
  );
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json.slice(1, -1);
  }
}
