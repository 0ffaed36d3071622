// SPDX-License-Identifier: MIT

import { escapeXml } from "@reading-list/core/domain/escape.ts";
import { nextTurn } from "@reading-list/core/domain/turns.ts";
import type {
  AnswerFields,
  DeletedEntry,
  EntryParts,
  FoundEntry,
  ListEntry,
} from "@reading-list/core/use-cases/use-case.ts";
import type { HttpAnswer } from "./call.ts";
import { element } from "./xml.ts";

/** Fields as JSON or XML. */
export const answerFields = (answer: AnswerFields, format: "json" | "xml"): HttpAnswer => ({
  status: 200,
  headers: { "Content-Type": `application/${format}; charset=utf-8` },
  body: "",
  parts: (format === "xml" ? writeXml : writeJson)(answer),
  entries: answer.size ?? 0,
});

/** Entries that are written in one turn of the event loop: some 5 ms. */
const entriesAtOnce = 1000;

/** The entries of a list as text, some at a time, so that other calls are answered meanwhile. */
async function* writeEntries<Entry>(
  parts: EntryParts<Entry>,
  separator: string,
  write: (entry: Entry) => string,
): AsyncGenerator<string> {
  let isFirst = true;
  for await (const part of parts) {
    for (let start = 0; start < part.length; start += entriesAtOnce) {
      if (start > 0) await nextTurn();
      const entries = part.slice(start, start + entriesAtOnce).map(write);
      yield (isFirst ? "" : separator) + entries.join(separator);
      isFirst = false;
    }
  }
}

/**
 * JSON in ASCII: a client that decodes it as Latin-1 would send mangled URLs back, and its changes would be lost.
 * Written by hand, because a JavaScript object puts item ids below 2^32 before all others.
 */
async function* writeJson({ fields, list, found, deleted, deletedItems }: AnswerFields): AsyncGenerator<string> {
  // Goes with the next part: each takes longer than its text.
  let text = `{${inAscii(JSON.stringify(fields).slice(1, -1))}`;
  if (found) text += `,"list":${inAscii(JSON.stringify(found.map(({ fields, marks }) => ({ ...fields, marks }))))}`;
  const lists = {
    list: list && writeEntries(list, ",", (entry) => `"${entryName(entry)}":${inAscii(JSON.stringify(entry))}`),
    deleted: deleted && writeEntries(deleted, ",", writeDeletion),
    deleted_items: deletedItems && writeEntries(deletedItems, ",", writeDeletion),
  };
  for (const [name, parts] of Object.entries(lists)) {
    if (!parts) continue;
    text += `,"${name}":{`;
    for await (const entries of parts) {
      yield text + entries;
      text = "";
    }
    text += "}";
  }
  yield `${text}}`;
}

const writeDeletion = (entry: DeletedEntry) => `"${entryName(entry)}":"${entry.time}"`;

const entryName = (entry: ListEntry) => entry.id ?? entry.item_id;

const inAscii = (json: string) => json.replaceAll(/[\u0080-\uffff]/g, escapeUnit);

/** A UTF-16 code unit as `\uXXXX`. */
const escapeUnit = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;

async function* writeXml({ fields, list, found, deleted, deletedItems }: AnswerFields): AsyncGenerator<string> {
  yield `<?xml version="1.0" encoding="UTF-8"?><response>${elements(fields)}`;
  if (list) yield* writeXmlList("list", list);
  if (found) yield element("list", found.map(foundItem).join(""));
  if (deleted) yield* writeXmlList("deleted", deleted);
  if (deletedItems) yield* writeXmlList("deleted_items", deletedItems);
  yield "</response>";
}

async function* writeXmlList(name: string, parts: EntryParts<Record<string, string>>): AsyncGenerator<string> {
  let isEmpty = true;
  for await (const items of writeEntries(parts, "", (entry) => element("item", elements(entry)))) {
    yield (isEmpty ? `<${name}>` : "") + items;
    isEmpty = false;
  }
  yield isEmpty ? `<${name}/>` : `</${name}>`;
}

/** Marks are elements, too, as `<mark><from>0</from><length>5</length></mark>`. */
const foundItem = ({ fields, marks }: FoundEntry) =>
  element(
    "item",
    elements(fields) +
      element(
        "marks",
        marks
          .map(([from, length]) => element("mark", elements({ from: String(from), length: String(length) })))
          .join(""),
      ),
  );

const elements = (fields: Record<string, string | number>) =>
  Object.entries(fields)
    .map(([name, value]) => element(name, escapeXml(String(value))))
    .join("");
