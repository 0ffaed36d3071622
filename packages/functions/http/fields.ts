import { create } from "xmlbuilder2";
import type { HttpAnswer } from "./call.ts";

/** Named fields of a response; `list` holds items in order. */
export interface AnswerFields {
  fields: Record<string, string>;
  list?: readonly ({ item_id: string } & Record<string, string>)[];
}

/** Fields as JSON or XML (spec sections 4.3 and 4.4). */
export function answerFields(answer: AnswerFields, format: "json" | "xml"): HttpAnswer {
  const [type, body] = format === "xml" ? ["xml", writeXml(answer)] : ["json", writeJson(answer)];
  return { statusCode: 200, headers: { "Content-Type": `application/${type}; charset=utf-8` }, body };
}

/** Written by hand, as a JavaScript object would put small item ids before all others. */
function writeJson({ fields, list }: AnswerFields): string {
  const members = Object.entries(fields).map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
  if (list) members.push(`"list":{${list.map((item) => `"${item.item_id}":${JSON.stringify(item)}`).join(",")}}`);
  return `{${members.join(",")}}`;
}

function writeXml({ fields, list }: AnswerFields): string {
  const response = { ...fields, ...(list && { list: list.length > 0 ? { item: list } : {} }) };
  return create({ encoding: "UTF-8", invalidCharReplacement: "" }, { response }).end();
}
