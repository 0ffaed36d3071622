// SPDX-License-Identifier: MIT

import { inOneChunk, takeUpTo } from "./chunks.ts";
import type { Problem } from "./entry.ts";
import { type JsonElement, maxElementLength, readElements } from "./json.ts";
import { parseObject } from "./json-lines.ts";
import { refuseLongLine, splitLines } from "./lines.ts";
import { hasPage, isPage } from "./pages-in.ts";

/** Where the objects of a JSON file are: in arrays, in a map, one on each line, or the file is one object. */
export interface JsonShape {
  /** The first object of each array or map, by the names that lead to it. */
  elements: ReadonlyMap<string, JsonElement>;
  read: (chunks: AsyncIterable<string>) => AsyncGenerator<JsonElement | Problem>;
}

/** Lines in which a page is looked for. */
const linesTried = 20;
/** Maximum objects that may be maps of pages, from the start of the file. */
const mapsTried = 20;

/** A record of a map has its id in the names that lead to an array in it. */
const isInMap = (key: string) => /(^|\.)(\d+|[\da-f-]{16,})(\.|$)/.test(key);

/** The shape of a JSON file by its beginning; undefined if no page is in that. */
export async function findShape(text: string): Promise<JsonShape | undefined> {
  const [first, ...others] = text.split("\n", linesTried).map(parseObject);
  const line = first && others.length > 0 ? [first, ...others].find((fields) => fields && isPage(fields)) : undefined;
  if (line) return createShape({ key: "", fields: line, line: 1 }, readLines);
  const [, url] = /^\[\s*"(https?:[^"]*)"/i.exec(text) ?? [];
  if (url) return createShape({ key: "", fields: { url }, line: 1 }, readUrls);
  const maps: string[] = [];
  const elements = new Map<string, JsonElement>();
  const noteMap = (key: string) => {
    if (maps.length < mapsTried) maps.push(key);
    return false;
  };
  for await (const element of readElements(inOneChunk(text), noteMap)) {
    if (!("problem" in element) && !elements.has(element.key)) elements.set(element.key, element);
  }
  if ([...elements].some(([key, { fields }]) => !isInMap(key) && hasPage(fields)))
    return { elements, read: (chunks) => readElements(chunks) };
  for (const map of maps) {
    const isMap = (key: string) => key === map;
    for await (const element of readElements(inOneChunk(text), isMap)) {
      if (!("problem" in element) && element.key === map && isPage(element.fields))
        return createShape(element, (chunks) => readElements(chunks, isMap));
      break;
    }
  }
  const whole = parseObject(text);
  if (whole && isPage(whole)) return createShape({ key: "", fields: whole, line: 1 }, readWhole);
  return elements.size > 0 ? { elements, read: (chunks) => readElements(chunks) } : undefined;
}

const createShape = (element: JsonElement, read: JsonShape["read"]): JsonShape => ({
  elements: new Map([[element.key, element]]),
  read,
});

async function* readLines(chunks: AsyncIterable<string>): AsyncGenerator<JsonElement | Problem> {
  for await (const { text, number, isTooLong } of splitLines(chunks)) {
    if (isTooLong) yield refuseLongLine(number);
    if (text.trim() === "") continue;
    const fields = parseObject(text);
    yield fields ? { key: "", fields, line: number } : { problem: "not a JSON object", line: number };
  }
}

/** An array of nothing but URLs. */
async function* readUrls(chunks: AsyncIterable<string>): AsyncGenerator<JsonElement | Problem> {
  const { parts, isWhole } = await takeUpTo(chunks, maxElementLength);
  const list = isWhole ? parseObject(`{"urls":${parts.join("")}}`)?.urls : undefined;
  if (!Array.isArray(list)) yield { problem: "not a JSON array", line: 1 };
  else for (const url of list) yield { key: "", fields: { url }, line: 1 };
}

async function* readWhole(chunks: AsyncIterable<string>): AsyncGenerator<JsonElement | Problem> {
  const { parts, isWhole } = await takeUpTo(chunks, maxElementLength);
  const fields = isWhole ? parseObject(parts.join("")) : undefined;
  yield fields ? { key: "", fields, line: 1 } : { problem: "not a JSON object", line: 1 };
}
