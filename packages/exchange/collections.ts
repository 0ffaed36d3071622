// SPDX-License-Identifier: MIT

import type { Row } from "./entry.ts";
import { maxFolders } from "./fields.ts";
import { readElements } from "./json.ts";
import { readPage } from "./mapping.ts";
import { pagesIn } from "./pages-in.ts";

/** Reads the JSON of Linkwarden. Collections and the collections that contain them become tags. */
export async function* readCollections(chunks: AsyncIterable<string>): AsyncGenerator<Row> {
  const paths = new Map<unknown, readonly string[]>();
  for await (const element of readElements(chunks)) {
    if ("problem" in element) {
      yield element;
      continue;
    }
    const { id, name, parentId, links } = element.fields;
    if (element.key === "pinnedLinks") {
      yield* readPage({ fields: [...Object.entries(element.fields), ["starred", true]] }, element.line, {}, false);
    } else if (element.key === "collections" && Array.isArray(links)) {
      const path = [...(paths.get(parentId) ?? []), name === "Unorganized" ? "" : String(name)].slice(0, maxFolders);
      paths.set(id, path);
      for (const page of pagesIn(links, path)) yield* readPage(page, element.line, {}, false);
    }
  }
}
