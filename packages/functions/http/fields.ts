import type { AnswerFields } from "@reading-list/core/use-cases/use-case.ts";
import type { HttpAnswer } from "./call.ts";

/** Fields as JSON or XML. */
export function answerFields(answer: AnswerFields, format: "json" | "xml"): HttpAnswer {
  const body = format === "xml" ? writeXml(answer) : writeJson(answer);
  return { statusCode: 200, headers: { "Content-Type": `application/${format}; charset=utf-8` }, body };
}

/**
 * JSON in ASCII: a client that decodes it as Latin-1 would send mangled URLs back, and its changes would be lost.
 * Written by hand, because a JavaScript object puts item ids below 2^32 before all others.
 */
function writeJson({ fields, list, deleted }: AnswerFields): string {
  const members = Object.entries(fields).map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
  if (list)
    members.push(`"list":{${list.map((item) => `"${item.item_id ?? item.id}":${JSON.stringify(item)}`).join(",")}}`);
  if (deleted) members.push(`"deleted":${JSON.stringify(Object.fromEntries(deleted.map((d) => [d.item_id, d.time])))}`);
  return `{${members.join(",")}}`.replaceAll(/[\u0080-\uffff]/g, escapeUnit);
}

/** A UTF-16 code unit as `\uXXXX`. */
const escapeUnit = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** Written by hand, because XML builders take text that looks like an entity (`&nbsp;` in a title) for an entity. */
function writeXml({ fields, ...lists }: AnswerFields): string {
  const content = Object.entries(lists).map(([name, items]) =>
    element(name, items.map((item) => element("item", elements(item))).join("")),
  );
  return `<?xml version="1.0" encoding="UTF-8"?>${element("response", elements(fields) + content.join(""))}`;
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
