// SPDX-License-Identifier: MIT

import type { Row } from "./entry.ts";
import { maxFolders, readEntry, readFields } from "./fields.ts";
import { readElements } from "./json.ts";
import { toRow } from "./row.ts";

type Node = Record<string, unknown>;

/** Reads the JSON backup of Firefox, or the file `Bookmarks` of Chrome. Folders become tags, except the roots. */
export async function* readTree(chunks: AsyncIterable<string>): AsyncGenerator<Row> {
  for await (const element of readElements(chunks)) {
    if ("problem" in element) yield element;
    else if (element.key === "children" || element.key.startsWith("roots."))
      yield* readRows(element.fields, [], element.line);
  }
}

const bookmarkTypes = ["text/x-moz-place", "url"];

/** The bookmarks in a folder, at any depth. */
function readRows(node: Node, folders: readonly unknown[], line: number): Row[] {
  const { children, root, title, name = title } = node;
  // Empty folders of Firefox have no children; separators are no bookmarks, either.
  if (!Array.isArray(children)) return bookmarkTypes.includes(String(node.type)) ? [readRow(folders, node, line)] : [];
  const inside = root === undefined ? [...folders, name].slice(0, maxFolders) : folders;
  return children.flatMap((child) => readRows(child ?? {}, inside, line));
}

/** Reads the JSON of Linkwarden. Collections and the collections that contain them become tags. */
export async function* readCollections(chunks: AsyncIterable<string>): AsyncGenerator<Row> {
  const paths = new Map<unknown, readonly unknown[]>();
  for await (const element of readElements(chunks)) {
    if ("problem" in element) {
      yield element;
      continue;
    }
    const { id, name, parentId, links } = element.fields;
    if (element.key === "pinnedLinks") {
      // The link itself precedes it in the file, so its tags cannot be changed any more.
      yield toRow(readEntry(readFields(Object.entries(element.fields)).fields), element.line, { pinned: true });
    } else if (element.key === "collections" && Array.isArray(links)) {
      const path = [...(paths.get(parentId) ?? []), name === "Unorganized" ? "" : name].slice(0, maxFolders);
      paths.set(id, path);
      for (const link of links) yield readRow(path, link, element.line);
    }
  }
}

function readRow(folders: readonly unknown[], node: unknown, line: number): Row {
  const { fields, lost } = readFields(Object.entries(node ?? {}));
  const entry = readEntry(fields);
  return toRow({ ...entry, tags: [...folders, ...(entry.tags ?? [])] }, line, lost);
}
