import type { HttpAnswer } from "./call.ts";

/** Named fields of a response; `list` holds items in order. */
export interface AnswerFields {
  fields: Record<string, string>;
  list?: readonly ({ item_id: string } & Record<string, string>)[];
}

/** Fields as JSON or XML (spec sections 4.3 and 4.4). */
export function answerFields(answer: AnswerFields, format: "json" | "xml"): HttpAnswer {
  const body = format === "xml" ? writeXml(answer) : writeJson(answer);
  return { statusCode: 200, headers: { "Content-Type": `application/${format}; charset=utf-8` }, body };
}

/** Written by hand, as a JavaScript object would put small item ids before all others. */
function writeJson({ fields, list }: AnswerFields): string {
  const members = Object.entries(fields).map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
  if (list) members.push(`"list":{${list.map((item) => `"${item.item_id}":${JSON.stringify(item)}`).join(",")}}`);
  return `{${members.join(",")}}`;
}

/** Written by hand, as builders take what looks like an entity in a title for one. */
function writeXml({ fields, list }: AnswerFields): string {
  const items = list?.map((item) => element("item", elements(item))).join("");
  const content = elements(fields) + (items === undefined ? "" : element("list", items));
  return `<?xml version="1.0" encoding="UTF-8"?>${element("response", content)}`;
}

const element = (name: string, content: string) => (content === "" ? `<${name}/>` : `<${name}>${content}</${name}>`);

const elements = (fields: Record<string, string>) =>
  Object.entries(fields)
    .map(([name, value]) => element(name, escapeXml(value)))
    .join("");

/** Text as XML 1.0 can carry it: without the characters that it forbids, and with those escaped that it would read. */
function escapeXml(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "")
    .replaceAll(/[&<>\r]/g, (character) => `&#${character.charCodeAt(0)};`);
}
