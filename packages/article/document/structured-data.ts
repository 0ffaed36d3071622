// SPDX-License-Identifier: MIT

import { type DomDocument, findElements } from "./dom.ts";

/** The contents of all `<meta>` by property and by name, with white space collapsed. The first of a name counts. */
export function metaContents(document: DomDocument): ReadonlyMap<string, string> {
  const contents = new Map<string, string>();
  for (const meta of findElements(document.documentElement, "meta")) {
    const content = (meta.getAttribute("content") ?? "").replace(/\s+/g, " ").trim();
    for (const name of [meta.getAttribute("property"), meta.getAttribute("name")]) {
      if (name !== null && !contents.has(name)) contents.set(name, content);
    }
  }
  return contents;
}

/** An object of JSON-LD. */
export type Thing = Record<string, unknown>;

/**
 * The article in a `<meta>` of microdata, and all objects in a page's JSON-LD, at most 500, each before those inside it.
 * Invalid JSON is ignored.
 */
export function findThings(document: DomDocument): Thing[] {
  const things: Thing[] = [];
  const declared = findElements(document.documentElement, "meta,script");
  for (const meta of declared)
    if (meta.localName === "meta" && meta.getAttribute("itemprop") === "articleBody")
      things.push({ "@type": "Article", articleBody: meta.getAttribute("content") ?? "" });
  for (const script of declared) {
    if (script.localName !== "script") continue;
    if (!/^application\/ld\+json\b/i.test(script.getAttribute("type") ?? "")) continue;
    const pending: unknown[] = [parseJson(script.textContent) ?? parseJson(withoutFaults(script.textContent))];
    for (const value of pending) {
      if (typeof value !== "object" || value === null) continue;
      if (things.length >= maxThings) break;
      if (!Array.isArray(value)) things.push(value as Thing);
      pending.push(...Object.values(value).slice(0, maxThings));
    }
  }
  return things;
}

/** The types of an object of JSON-LD. */
export function listTypes(thing: Thing): string[] {
  return [thing["@type"]].flat().filter((type) => typeof type === "string");
}

/** The objects with a type that matches a pattern. */
export const filterThings = (things: readonly Thing[], pattern: RegExp): Thing[] =>
  things.filter((thing) => listTypes(thing).some((type) => pattern.test(type)));

/** The types of JSON-LD that are articles. */
export const articleType = /Article$|^(?:Live)?BlogPosting$|^Report$/;

const maxThings = 500;

/** JSON without the marks of a comment or CDATA section around it, line breaks in its texts and commas before brackets. */
function withoutFaults(script: string): string {
  const text = script.replace("<![CDATA[", "");
  const start = text.search(/[{[]/);
  const last = text.lastIndexOf("}");
  const end = text[start] === "[" ? text.indexOf("]", last) : last;
  const json = text.slice(Math.max(start, 0), end + 1);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: JSON refuses them in texts
  return json.replace(/[\u0000-\u001f]+/g, " ").replace(/,(?= ?[}\]])/g, "");
}

/** The value of JSON; undefined if it is invalid. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
