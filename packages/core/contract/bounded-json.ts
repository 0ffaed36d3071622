// SPDX-License-Identifier: MIT

import { doAtOnce, doInTurns } from "../domain/turns.ts";

/** The most that a JSON text may hold: memory and time to parse it depend on its members, not on its length. */
export interface JsonBounds {
  /** Members of objects and elements of arrays, on all levels; an empty object or array counts one. */
  members: number;
  levels: number;
  /** Members or elements of the outermost object or array. */
  entries?: number;
}

/** Bounds for a JSON text that has a few fields. */
export const fewFields: JsonBounds = { members: 1000, levels: 32 };

type ParsedJson = { value: unknown } | { fault: "is not valid JSON" } | { fault: string; isOverBounds: true };

/**
 * Parses JSON of strangers, or says why not. A text of 8 MB can hold millions of members, which take seconds in the
 * event loop, so they are counted before.
 */
export const parseBoundedJson = (json: string, bounds: JsonBounds): ParsedJson => doAtOnce(parse(json, bounds));

/** As `parseBoundedJson`, in turns of the event loop: for the longest texts. */
export const parseLongJson = (json: string, bounds: JsonBounds): Promise<ParsedJson> => doInTurns(parse(json, bounds));

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openingBrace = 0x7b;
/** `{` and `[`; `}` and `]`. */
const opening = new Set([openingBrace, 0x5b]);
const closing = new Set([0x7d, 0x5d]);

/** UTF-16 units that are read in one step, and members that are parsed: some 3 ms each. */
const unitsAtOnce = 1_000_000;
const membersAtOnce = 5000;
/** Members of one entry, which is parsed in one step. */
const membersOfEntry = 5000;

/** Pauses after each step. */
function* parse(json: string, bounds: JsonBounds): Generator<undefined, ParsedJson> {
  const cuts: number[] = [];
  const fault = yield* findExcess(json, bounds, cuts);
  if (fault !== undefined) return { fault, isOverBounds: true };
  try {
    return { value: cuts.length > 0 ? yield* parseParts(json, cuts) : JSON.parse(json) };
  } catch {
    return { fault: "is not valid JSON" };
  }
}

/**
 * Counts up to the first number that exceeds its bound, and says which. `cuts` gets the positions of commas between
 * entries, where parts of a long text end. For a text that is not JSON, the result is meaningless.
 */
function* findExcess(json: string, bounds: JsonBounds, cuts: number[]): Generator<undefined, string | undefined> {
  const { entries: maxEntries = Number.POSITIVE_INFINITY } = bounds;
  let [level, members, entries, start, membersBefore, membersBeforeEntry] = [0, 0, 0, 0, 0, 0];
  let isInText = false;
  for (let i = 0, pause = unitsAtOnce; i < json.length; i++) {
    if (i >= pause) {
      pause += unitsAtOnce;
      yield;
    }
    const code = json.charCodeAt(i);
    if (isInText) {
      if (code === backslash) i++;
      else if (code === quote) isInText = false;
    } else if (code === quote) isInText = true;
    else if (closing.has(code)) level--;
    else if (code === comma || opening.has(code)) {
      if (code !== comma && ++level > bounds.levels) return `is nested deeper than ${bounds.levels} levels`;
      if (level === 1) {
        if (++entries > maxEntries) return `contains more than ${maxEntries} entries`;
        membersBeforeEntry = members;
        if (code === comma && (i - start >= unitsAtOnce || members - membersBefore >= membersAtOnce)) {
          cuts.push(i);
          [start, membersBefore] = [i, members];
        }
      }
      if (++members > bounds.members) return `contains more than ${bounds.members} values`;
      if (members - membersBeforeEntry > membersOfEntry)
        return `contains more than ${membersOfEntry} values in one entry`;
    }
  }
  return undefined;
}

/** Parses an object or array in parts, which are objects or arrays themselves. Throws a `SyntaxError`. */
function* parseParts(json: string, cuts: readonly number[]): Generator<undefined, unknown> {
  const isObject = json.trimStart().charCodeAt(0) === openingBrace;
  const [before, after] = isObject ? ["{", "}"] : ["[", "]"];
  const parts: object[] = [];
  for (const [nth, start] of [0, ...cuts].entries()) {
    if (nth > 0) yield;
    const end = cuts[nth];
    const part = JSON.parse(
      (nth > 0 ? before + json.slice(start + 1, end) : json.slice(0, end)) + (end === undefined ? "" : after),
    );
    // A comma needs an entry on both sides.
    if (Object.keys(part).length === 0) throw new SyntaxError("an entry is missing");
    parts.push(part);
  }
  // As in `JSON.parse`, `__proto__` is a name like others, and the last of equal names counts.
  return isObject ? Object.fromEntries(parts.flatMap(Object.entries)) : parts.flat();
}
