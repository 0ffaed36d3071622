// SPDX-License-Identifier: MIT

import { SaxesParser } from "saxes";

/** An element of a parsed document. */
export interface XmlElement {
  name: string;
  attributes: Record<string, string>;
  text: string;
  children: XmlElement[];
}

/** Parses XML strictly; throws if it is not well-formed. */
export function parseXml(xml: string): XmlElement {
  const root: XmlElement = { name: "", attributes: {}, text: "", children: [] };
  const open = [root];
  const parser = new SaxesParser();
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("opentag", ({ name, attributes }) => {
    const element = { name, attributes, text: "", children: [] };
    open.at(-1)?.children.push(element);
    open.push(element);
  });
  parser.on("text", (text) => {
    const element = open.at(-1);
    if (element) element.text += text;
  });
  parser.on("closetag", () => {
    open.pop();
  });
  parser.write(xml).close();
  return root.children[0] ?? root;
}
