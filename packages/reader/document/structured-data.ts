import type { DomDocument } from "./dom.ts";

/** The content of a `<meta>` by its property or name, with white space collapsed; empty if there is none. */
export function metaContent(document: DomDocument, name: string): string {
  const meta = document.querySelector(`meta[property="${name}"],meta[name="${name}"]`);
  return (meta?.getAttribute("content") ?? "").replace(/\s+/g, " ").trim();
}

/** An object of JSON-LD. */
export type Thing = Record<string, unknown>;

/** All objects in a page's JSON-LD, including nested ones, at most 500. Invalid JSON is ignored. */
export function thingsOf(document: DomDocument): Thing[] {
  const things: Thing[] = [];
  for (const script of document.querySelectorAll('script[type="application/ld+json" i]')) {
    const pending: unknown[] = [parseJson(script.textContent)];
    for (let value = pending.pop(); value !== undefined && things.length < mostThings; value = pending.pop()) {
      if (typeof value !== "object" || value === null) continue;
      if (!Array.isArray(value)) things.push(value as Thing);
      pending.push(...Object.values(value).slice(0, mostThings));
    }
  }
  return things;
}

/** The types of an object of JSON-LD. */
export function typesOf(thing: Thing): string[] {
  return [thing["@type"]].flat().filter((type) => typeof type === "string");
}

const mostThings = 500;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
