// SPDX-License-Identifier: MIT

import { escapeXml } from "@reading-list/core/domain/escape.ts";
import { writeInTurns } from "@reading-list/core/domain/turns.ts";
import type { AnswerFields, EntryParts, FoundEntry, ListEntry } from "@reading-list/core/use-cases/use-case.ts";
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

/** The entries of a list as text, some at a time, so that other calls are answered meanwhile. */
async function* writeEntries<Entry>(
  parts: EntryParts<Entry>,
  separator: string,
  write: (entry: Entry) => string,
): AsyncGenerator<string> {
  let isFirst = true;
  for await (const part of parts) {
    for await (const text of writeInTurns(part, separator, write)) {
      yield (isFirst ? "" : separator) + text;
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
  if (found) {
    text += ',"list":[';
    for await (const entries of writeEntries([found], ",", writeFound)) {
      yield text + entries;
      text = "";
    }
    text += "]";
  }
  const lists: [name: string, parts: EntryParts<ListEntry> | undefined, write: (entry: ListEntry) => string][] = [
    ["list", list, writeEntry],
    ["deleted", deleted, writeDeletion],
    ["deleted_items", deletedItems, writeDeletion],
  ];
  for (const [name, parts, write] of lists) {
    if (!parts) continue;
    text += `,"${name}":{`;
    // An answer to a poll is ready at once.
    if (!Array.isArray(parts) || parts.length > 0) {
      for await (const entries of writeEntries(parts, ",", write)) {
        yield text + entries;
        text = "";
      }
    }
    text += "}";
  }
  yield `${text}}`;
}

const writeEntry = (entry: ListEntry) => `"${entryName(entry)}":${inAscii(JSON.stringify(entry))}`;
const writeFound = ({ fields, marks }: FoundEntry) => inAscii(JSON.stringify({ ...fields, marks }));
const writeDeletion = (entry: ListEntry) => `"${entryName(entry)}":"${entry.time}"`;

const entryName = (entry: ListEntry) => entry.id ?? entry.item_id;

const inAscii = (json: string) => (/[\u0080-\uffff]/.test(json) ? escapeUnits(json) : json);

const hexDigits = Buffer.from("0123456789abcdef");

/** UTF-16 code units beyond ASCII as `\uXXXX`. Written into bytes: `replaceAll` takes ten times as long. */
function escapeUnits(json: string): string {
  const bytes = Buffer.allocUnsafe(6 * json.length);
  let end = 0;
  for (let i = 0; i < json.length; i++) {
    const unit = json.charCodeAt(i);
    if (unit < 0x80) bytes[end++] = unit;
    else {
      bytes[end++] = 0x5c; // \
      bytes[end++] = 0x75; // u
      for (let shift = 12; shift >= 0; shift -= 4) bytes[end++] = hexDigits[(unit >> shift) & 15] as number;
    }
  }
  return bytes.toString("latin1", 0, end);
}

async function* writeXml({ fields, list, found, deleted, deletedItems }: AnswerFields): AsyncGenerator<string> {
  yield `<?xml version="1.0" encoding="UTF-8"?><response>${elements(fields)}`;
  if (list) yield* writeXmlList("list", list, writeItem);
  if (found) yield* writeXmlList("list", [found], foundItem);
  if (deleted) yield* writeXmlList("deleted", deleted, writeItem);
  if (deletedItems) yield* writeXmlList("deleted_items", deletedItems, writeItem);
  yield "</response>";
}

async function* writeXmlList<Entry>(
  name: string,
  parts: EntryParts<Entry>,
  write: (entry: Entry) => string,
): AsyncGenerator<string> {
  let isEmpty = true;
  for await (const items of writeEntries(parts, "", write)) {
    yield (isEmpty ? `<${name}>` : "") + items;
    isEmpty = false;
  }
  yield isEmpty ? `<${name}/>` : `</${name}>`;
}

const writeItem = (entry: Record<string, string>) => element("item", elements(entry));

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
