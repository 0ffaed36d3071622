// SPDX-License-Identifier: MIT

import { findUrl, isFolderOfService, maxFolders, namesIn, readFields } from "./fields.ts";

type Node = Readonly<Record<string, unknown>>;
/** The names and values of a page. */
type Fields = readonly (readonly [string, unknown])[];

/** A page that is somewhere in a value of JSON or of a property list. */
export interface FoundPage {
  fields: Fields;
  /** The names, and tags, of the objects around it, outermost first. */
  folders: readonly string[];
  /** The time of a session that contains it. */
  time: unknown;
}

/** Deeper values are not read. */
const maxDepth = 1000;

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && !Array.isArray(value);

/** The fields of a page; of one whose address is in a single object within it, with the fields of that. */
function pageFields(node: Node): Fields | undefined {
  const own = Object.entries(node);
  if (hasUrl(own)) return own;
  const inner = own.filter(([name, value]) => isNode(value) && !/^\d+$/.test(name) && hasUrl(Object.entries(value)));
  const [only] = inner;
  if (!only || inner.length > 1 || own.some(([, value]) => Array.isArray(value) && value.some(isNode)))
    return undefined;
  return [...Object.entries(only[1] as Node), ...own.filter((field) => field !== only)];
}

const hasUrl = (fields: Fields) => typeof findUrl(readFields(fields).fields) === "string";
/** Whether an object is a page itself. */
export const isPage = (node: Node): boolean => pageFields(node) !== undefined;

/** Whether a value is a page, or has one in it. */
export const hasPage = (value: unknown): boolean => !pagesIn(value).next().done;

/** The pages in a value, in their order. Folders are named by their title, unless a browser has made them. */
export function* pagesIn(
  value: unknown,
  folders: readonly string[] = [],
  time: unknown = undefined,
  depth = 0,
): Generator<FoundPage> {
  if (typeof value !== "object" || value === null || depth > maxDepth) return;
  if (Array.isArray(value)) {
    for (const each of value) yield* pagesIn(each, folders, time, depth + 1);
    return;
  }
  const node = value as Node;
  const fields = pageFields(node);
  if (fields) {
    yield { fields, folders, time };
    return;
  }
  const { root, title, Title = title, name = Title, tag, tags = tag, labels = tags, date, created = date } = node;
  const isFolder = root === undefined && typeof name === "string" && !isFolderOfService(name);
  const inside = [...folders, ...(isFolder ? [name] : []), ...namesIn(labels)].slice(0, maxFolders);
  for (const each of Object.values(node)) yield* pagesIn(each, inside, created ?? time, depth + 1);
}
