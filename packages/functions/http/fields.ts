import { setImmediate as nextTurn } from "node:timers/promises";
import type { AnswerFields, ListEntry } from "@reading-list/core/use-cases/use-case.ts";
import type { HttpAnswer } from "./call.ts";

/** Fields as JSON or XML. */
export async function answerFields(answer: AnswerFields, format: "json" | "xml"): Promise<HttpAnswer> {
  const body = await (format === "xml" ? writeXml(answer) : writeJson(answer));
  return { statusCode: 200, headers: { "Content-Type": `application/${format}; charset=utf-8` }, body };
}

/** Entries that are written in one turn of the event loop: some 5 ms. */
const entriesAtOnce = 1000;

/** Writes the entries of a list, some at a time, so that other calls are answered meanwhile. */
async function writeEntries<T>(
  list: readonly T[],
  separator: string,
  write: (entries: readonly T[]) => string,
): Promise<string[]> {
  const parts: string[] = [];
  for (let start = 0; start < list.length; start += entriesAtOnce) {
    if (start > 0) await nextTurn();
    parts.push((start > 0 ? separator : "") + write(list.slice(start, start + entriesAtOnce)));
  }
  return parts;
}

/**
 * JSON in ASCII: a client that decodes it as Latin-1 would send mangled URLs back, and its changes would be lost.
 * Written by hand, because a JavaScript object puts item ids below 2^32 before all others.
 */
async function writeJson({ fields, list, deleted }: AnswerFields): Promise<string> {
  const parts = ["{", inAscii(JSON.stringify(fields).slice(1, -1))];
  if (list) {
    const write = (entries: readonly ListEntry[]) =>
      inAscii(entries.map((item) => `"${item.item_id ?? item.id}":${JSON.stringify(item)}`).join(","));
    parts.push(',"list":{', ...(await writeEntries(list, ",", write)), "}");
  }
  if (deleted) parts.push(`,"deleted":${JSON.stringify(Object.fromEntries(deleted.map((d) => [d.item_id, d.time])))}`);
  // Joined once, and compressed in another turn: a copy of 30 MB takes 15 ms.
  const json = [...parts, "}"].join("");
  if (parts.length > 10) await nextTurn();
  return json;
}

const inAscii = (json: string) => json.replaceAll(/[\u0080-\uffff]/g, escapeUnit);

/** A UTF-16 code unit as `\uXXXX`. */
const escapeUnit = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** Written by hand, because XML builders take text that looks like an entity (`&nbsp;` in a title) for an entity. */
async function writeXml({ fields, ...lists }: AnswerFields): Promise<string> {
  let content = elements(fields);
  for (const [name, items] of Object.entries(lists)) {
    const write = (entries: readonly Record<string, string>[]) =>
      entries.map((item) => element("item", elements(item))).join("");
    content += element(name, (await writeEntries(items, "", write)).join(""));
  }
  return `<?xml version="1.0" encoding="UTF-8"?>${element("response", content)}`;
}

const element = (name: string, content: string) => (content === "" ? `<${name}/>` : `<${name}>${content}</${name}>`);

const elements = (fields: Record<string, string>) =>
  Object.entries(fields)
    .map(([name, value]) => element(name, escapeXml(value)))
    .join("");

/** Drops the characters that XML 1.0 forbids, and escapes markup. */
function escapeXml(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "")
    .replaceAll(/[&<>\r]/g, (character) => `&#${character.charCodeAt(0)};`);
}
