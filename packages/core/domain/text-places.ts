// SPDX-License-Identifier: MIT

import { setImmediate as nextTurn } from "node:timers/promises";
import { Parser } from "htmlparser2";

/** An element of a fragment of HTML, and its text: UTF-16 units before the first character, and before the next one. */
interface ElementText {
  /** Its XPath from the root, such as `div[1]/p[3]`. */
  path: string;
  start: number;
  end: number;
}

/** A run of text, or one character reference. */
interface Run {
  start: number;
  end: number;
  /** UTF-16 units of HTML before it, and before what follows it. */
  from: number;
  to: number;
  /** The innermost element around it: its path, and the text before it. */
  element: Pick<ElementText, "path" | "start">;
}

/** The joined text nodes of a fragment of HTML, and where they are in it. */
export interface TextPlaces {
  text: string;
  elements: ReadonlyMap<string, ElementText>;
  runs: readonly Run[];
}

/** UTF-16 units of HTML that are parsed in one turn of the event loop: some 3 ms. */
const partOfTurn = 100_000;

/** Reads the places of text in a sanitised fragment of HTML. */
export async function readTextPlaces(html: string): Promise<TextPlaces> {
  const texts: string[] = [];
  let length = 0;
  const elements = new Map<string, ElementText>();
  const runs: Run[] = [];
  interface Open extends ElementText {
    counts: Map<string, number>;
  }
  const open: Open[] = [{ path: "", start: 0, end: 0, counts: new Map() }];
  const parser = new Parser(
    {
      onopentagname(name) {
        const parent = open.at(-1) as Open;
        const nth = (parent.counts.get(name) ?? 0) + 1;
        parent.counts.set(name, nth);
        const path = `${parent.path && `${parent.path}/`}${name}[${nth}]`;
        open.push({ path, start: length, end: length, counts: new Map() });
      },
      onclosetag() {
        const { path, start } = open.pop() as Open;
        elements.set(path, { path, start, end: length });
      },
      ontext(text) {
        const { path, start } = open.at(-1) as Open;
        const place = { from: parser.startIndex, to: parser.endIndex + 1, element: { path, start } };
        runs.push({ start: length, end: length + text.length, ...place });
        texts.push(text);
        length += text.length;
      },
    },
    { decodeEntities: true },
  );
  for (let start = 0; start < html.length; start += partOfTurn) {
    parser.write(html.slice(start, start + partOfTurn));
    await nextTurn();
  }
  parser.end();
  elements.set("", { path: "", start: 0, end: length });
  return { text: texts.join(""), elements, runs };
}

/** A place in the text of an element: an XPath, empty for the root, and the characters before it. */
export interface ElementPlace {
  path: string;
  offset: number;
}

/** The characters that offsets count: Readeck has code points, annotator.js, and so wallabag, UTF-16 units. */
export type OffsetUnit = "codePoint" | "utf16";

/** The UTF-16 units before a place; undefined if there is no such element, or its text is shorter. */
export function unitsBefore(
  { text, elements }: TextPlaces,
  { path, offset }: ElementPlace,
  unit: OffsetUnit,
): number | undefined {
  const element = elements.get(path.replace(/^\.?\/+/, "").replaceAll(/(^|\/)(\w+)(?=\/|$)/g, "$1$2[1]"));
  if (!element) return undefined;
  let units = element.start;
  if (unit === "utf16") return units + offset <= element.end ? units + offset : undefined;
  for (let left = offset; left > 0; left--) {
    if (units >= element.end) return undefined;
    units += (text.codePointAt(units) ?? 0) > 0xffff ? 2 : 1;
  }
  return units;
}

/** The place, in the innermost element, of the character before which there are so many UTF-16 units; `isEnd`: after it. */
export function placeAt(
  { text, runs }: TextPlaces,
  units: number,
  { isEnd, unit }: { isEnd: boolean; unit: OffsetUnit },
): ElementPlace | undefined {
  const element = runs[indexOfRun(runs, isEnd ? units - 1 : units)]?.element;
  if (!element) return undefined;
  const { path, start } = element;
  return { path, offset: unit === "utf16" ? units - start : [...text.slice(start, units)].length };
}

/** The index of the run that has a character, found by binary search; behind the last one if none has it. */
function indexOfRun(runs: readonly Run[], character: number): number {
  let [low, high] = [0, runs.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((runs[middle] as Run).end <= character) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The HTML with tags around the text between two places, one pair for each run of text; `last` closes the last one. */
export function wrapText(
  html: string,
  { runs }: TextPlaces,
  passages: readonly { start: number; end: number; before: string; after: string; last?: string }[],
): string {
  const insertions: { at: number; text: string }[] = [];
  for (const { start, end, before, after, last = after } of passages) {
    const first = indexOfRun(runs, start);
    const within = runs.slice(first, indexOfRun(runs, end - 1) + 1);
    for (const run of within) {
      insertions.push(
        { at: run.from + Math.max(0, start - run.start), text: before },
        { at: run.to - Math.max(0, run.end - end), text: run === within.at(-1) ? last : after },
      );
    }
  }
  let wrapped = "";
  let copied = 0;
  for (const { at, text } of insertions.sort((a, b) => a.at - b.at)) {
    wrapped += html.slice(copied, at) + text;
    copied = at;
  }
  return wrapped + html.slice(copied);
}
