// SPDX-License-Identifier: MIT

import { Parser } from "htmlparser2";
import { findFirst } from "./binary-search.ts";
import { type BlockBreak, BreakList } from "./block-breaks.ts";
import { nextTurn } from "./turns.ts";

/** An element of a fragment of HTML, and its text: UTF-16 units before the first character, and before the next one. */
interface ElementText {
  /** Undefined for the fragment itself. */
  parent: ElementText | undefined;
  name: string;
  /** Its number among the children of its parent that have its name, from 1. */
  nth: number;
  start: number;
  end: number;
}

/** A run of text, or one character reference. */
interface Run {
  start: number;
  end: number;
  /** UTF-16 units of HTML before it, and before the node after it. */
  from: number;
  to: number;
  /** The innermost element around it. */
  element: ElementText;
}

/** The joined text nodes of a fragment of HTML, and where they are in it. */
export interface TextPlaces {
  text: string;
  /** In the order of their tags, after the fragment itself. A path for each would take 1 GB for a deep page. */
  elements: readonly ElementText[];
  runs: readonly Run[];
  /** UTF-16 units before the second half of each surrogate pair. */
  pairs: readonly number[];
  breaks: readonly BlockBreak[];
}

/** UTF-16 units of HTML that are parsed in one turn of the event loop: some 3 ms. */
const partOfTurn = 100_000;

/** Reads the places of text in a sanitised fragment of HTML. */
export async function readTextPlaces(html: string): Promise<TextPlaces> {
  const texts: string[] = [];
  let textsOfPart: string[] = [];
  let length = 0;
  const root: ElementText = { parent: undefined, name: "", nth: 1, start: 0, end: 0 };
  const elements = [root];
  const runs: Run[] = [];
  const pairs: number[] = [];
  const blocks = new BreakList();
  let lastCode = 0;
  const open: { element: ElementText; counts: Map<string, number> }[] = [{ element: root, counts: new Map() }];
  type Open = (typeof open)[number];
  const parser = new Parser(
    {
      onopentagname(name) {
        blocks.add(length, name);
        const { element: parent, counts } = open.at(-1) as Open;
        const nth = (counts.get(name) ?? 0) + 1;
        counts.set(name, nth);
        const element = { parent, name, nth, start: length, end: length };
        elements.push(element);
        open.push({ element, counts: new Map() });
      },
      onclosetag(name) {
        blocks.add(length, name);
        (open.pop() as Open).element.end = length;
      },
      ontext(text) {
        const place = { from: parser.startIndex, to: parser.endIndex + 1, element: (open.at(-1) as Open).element };
        runs.push({ start: length, end: length + text.length, ...place });
        for (let i = 0; i < text.length; i++) {
          const code = text.charCodeAt(i);
          if ((code & 0xfc00) === 0xdc00 && (lastCode & 0xfc00) === 0xd800) pairs.push(length + i);
          lastCode = code;
        }
        textsOfPart.push(text);
        length += text.length;
      },
    },
    { decodeEntities: true },
  );
  for (let start = 0; start < html.length; start += partOfTurn) {
    parser.write(html.slice(start, start + partOfTurn));
    texts.push(textsOfPart.join(""));
    textsOfPart = [];
    await nextTurn();
  }
  parser.end();
  texts.push(...textsOfPart);
  root.end = length;
  return { text: texts.join(""), elements, runs, pairs, breaks: blocks.breaks };
}

/** A place in the text of an element: an XPath, empty for the root, and the characters before it. */
export interface ElementPlace {
  path: string;
  offset: number;
}

/** The characters that offsets count: Readeck has code points, annotator.js, and so wallabag, UTF-16 units. */
export type OffsetUnit = "codePoint" | "utf16";

/** The UTF-16 units before a place; undefined if there is no such element, or its text is shorter. */
export function unitsBefore(places: TextPlaces, { path, offset }: ElementPlace, unit: OffsetUnit): number | undefined {
  const element = elementAt(places, path);
  if (!element) return undefined;
  const units = unit === "utf16" ? element.start + offset : measureCodePoints(places, element.start, offset);
  return units <= element.end ? units : undefined;
}

/** The element of an XPath; elements come after their parents, so that one pass finds it. */
function elementAt({ elements }: TextPlaces, path: string): ElementText | undefined {
  let found = elements[0];
  const below = path.replace(/^\.?\/+/, "");
  if (below === "") return found;
  const steps = below.split("/").map((step) => /^(?<name>\w+)(\[(?<nth>\d+)\])?$/.exec(step)?.groups ?? {});
  let next = 0;
  for (const element of elements) {
    if (element.parent !== found || element.name !== steps[next]?.name) continue;
    if (element.nth !== Number(steps[next]?.nth ?? 1)) continue;
    found = element;
    if (++next === steps.length) return found;
  }
  return undefined;
}

function writePath({ parent, name, nth }: ElementText): string {
  return parent ? `${parent.parent ? `${writePath(parent)}/` : ""}${name}[${nth}]` : "";
}

/** The place, in the innermost element, of the character before which there are so many UTF-16 units; `isEnd`: after it. */
export function placeAt(
  places: TextPlaces,
  units: number,
  { isEnd, unit }: { isEnd: boolean; unit: OffsetUnit },
): ElementPlace | undefined {
  const element = places.runs[findRun(places.runs, isEnd ? units - 1 : units)]?.element;
  if (!element) return undefined;
  const { start } = element;
  const pairs = unit === "utf16" ? 0 : pairsBefore(places, units) - pairsBefore(places, start);
  return { path: writePath(element), offset: units - start - pairs };
}

/** The surrogate pairs that end before a place. */
const pairsBefore = ({ pairs }: TextPlaces, units: number): number =>
  findFirst(0, pairs.length, (index) => (pairs[index] as number) < units);

/** The UTF-16 units before a place, so many code points after another one. */
function measureCodePoints(places: TextPlaces, start: number, codePoints: number): number {
  const before = pairsBefore(places, start);
  const end = Math.min(places.text.length + 1, start + 2 * codePoints);
  const units = findFirst(
    start + codePoints,
    end,
    (place) => place - start - (pairsBefore(places, place) - before) < codePoints,
  );
  const isWithinPair = units > start && pairsBefore(places, units + 1) > pairsBefore(places, units);
  return isWithinPair ? units + 1 : units;
}

/** The index of the run that has a character; behind the last one if none has it. */
const findRun = (runs: readonly Run[], character: number): number =>
  findFirst(0, runs.length, (index) => (runs[index] as Run).end <= character);

/** Tags, and their characters, that are written into a text; a note may stand at each of 10,000 elements of a passage. */
const maxInsertions = 40_000;
const maxInserted = 4_000_000;
/** Runs of all passages, some 10 ms. */
const maxRuns = 1_000_000;

/**
 * The HTML with tags around the text between two places, one pair for each text node; `last` closes the last one.
 * Passages that would need too many tags get none.
 */
export function wrapText(
  html: string,
  { runs }: TextPlaces,
  passages: readonly { start: number; end: number; before: string; after: string; last?: string }[],
): string {
  const insertions: { at: number; text: string }[] = [];
  let inserted = 0;
  let left = maxRuns;
  for (const { start, end, before, after, last = after } of passages) {
    const own: { at: number; text: string }[] = [];
    let to = -1;
    for (let i = findRun(runs, start); left > 0 && own.length <= maxInsertions; i++, left--) {
      const run = runs[i];
      if (!run || run.start >= end) break;
      const isContinued = run.from === to;
      to = run.to;
      const closing = { at: run.to - Math.max(0, run.end - end), text: after };
      if (isContinued) own[own.length - 1] = closing;
      else own.push({ at: run.from + Math.max(0, start - run.start), text: before }, closing);
    }
    const closing = own.at(-1);
    if (closing) closing.text = last;
    const length = (own.length / 2) * (before.length + after.length) + last.length;
    if (insertions.length + own.length > maxInsertions || inserted + length > maxInserted) continue;
    inserted += length;
    insertions.push(...own);
  }
  const parts: string[] = [];
  let copied = 0;
  for (const { at, text } of insertions.sort((a, b) => a.at - b.at)) {
    parts.push(html.slice(copied, at), text);
    copied = at;
  }
  parts.push(html.slice(copied));
  return parts.join("");
}
