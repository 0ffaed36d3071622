// SPDX-License-Identifier: MIT

import { type DefaultTreeAdapterTypes, parseFragment, serialize } from "parse5";
import type { PageSource } from "./parse-page.ts";
import { isElementNode, readAttribute, textIn, walkNodes } from "./source-tree.ts";

/**
 * The longest text that a page keeps for its scripts, which they would show: the content of a `<template>`, or of a script
 * that is a template, as unsanitised markup. Empty if the page has no such text, or one with names to fill in.
 */
export function storedText(source: PageSource): string {
  let [longest, markup] = [minLetters, ""];
  for (const node of walkNodes(source)) {
    if (!isElementNode(node)) continue;
    const content = readStored(node);
    const text = content === undefined ? "" : collectText(content);
    if (content === undefined || text.length <= longest || fields.test(text)) continue;
    [longest, markup] = [text.length, serialize(content)];
  }
  return markup;
}

function readStored(node: DefaultTreeAdapterTypes.Element): DefaultTreeAdapterTypes.ParentNode | undefined {
  if (node.tagName === "template") return (node as DefaultTreeAdapterTypes.Template).content;
  const isMarkup = node.tagName === "script" && templateType.test(readAttribute(node, "type"));
  return isMarkup ? parseFragment(textIn(node), { scriptingEnabled: false }) : undefined;
}

/** The text of a fragment, with its white space collapsed. */
function collectText(fragment: DefaultTreeAdapterTypes.ParentNode): string {
  const document = { ...fragment, nodeName: "#document" } as DefaultTreeAdapterTypes.Document;
  let text = "";
  for (const node of walkNodes(document))
    if ("value" in node && !notText.has(node.parentNode?.nodeName ?? "")) text += `${node.value} `;
  return text.replace(/\s+/g, " ");
}

const notText = new Set(["script", "style", "noscript", "button", "option"]);
const templateType = /^text\/(?:html|(?:x-)?template|ng-template|x-[a-z]{2,20}-template)$/i;
/** Names that a script replaces by values. */
const fields = /\{\{|\$\{|<%|\{[%#]/;
/** Shorter texts are parts, such as a message. */
const minLetters = 400;
