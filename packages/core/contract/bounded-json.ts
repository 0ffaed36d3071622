// SPDX-License-Identifier: MIT

/** Numbers of a JSON text, counted without parsing it. */
interface JsonSize {
  /** Members of objects and elements of arrays, on all levels; an empty object or array counts one. */
  members: number;
  /** Members or elements of the outermost object or array. */
  entries: number;
  levels: number;
}

/** The most that a JSON text may hold: memory and time to parse it depend on its members, not on its length. */
export interface JsonBounds {
  members: number;
  levels: number;
}

/** Bounds for a JSON text that has a few fields. */
export const fewFields: JsonBounds = { members: 1000, levels: 32 };

/**
 * Parses JSON of strangers, or says why not. A text of 8 MB can hold millions of members, which take seconds in the
 * event loop, so they are counted before. `entries` are those of the outermost object or array.
 */
export function parseBoundedJson(
  json: string,
  bounds: JsonBounds,
): { value: unknown } | { fault: "is not valid JSON" } | { fault: string; entries: number } {
  const { members, levels, entries } = measureJson(json, bounds);
  if (levels > bounds.levels) return { fault: `is nested deeper than ${bounds.levels} levels`, entries };
  if (members > bounds.members) return { fault: `holds more than ${bounds.members} values`, entries };
  try {
    return { value: JSON.parse(json) };
  } catch {
    return { fault: "is not valid JSON" };
  }
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
/** `{` and `[`; `}` and `]`. */
const opening = new Set([0x7b, 0x5b]);
const closing = new Set([0x7d, 0x5d]);

/** Counts up to the first number that exceeds its bound. Of a text that is not JSON the numbers are those up to its fault. */
function measureJson(json: string, bounds: JsonBounds): JsonSize {
  const size: JsonSize = { members: 0, entries: 0, levels: 0 };
  let level = 0;
  for (let i = 0; i < json.length && size.members <= bounds.members && size.levels <= bounds.levels; i++) {
    const code = json.charCodeAt(i);
    if (code === quote) {
      for (i++; i < json.length && json.charCodeAt(i) !== quote; i++) if (json.charCodeAt(i) === backslash) i++;
    } else if (code === comma || opening.has(code)) {
      if (code !== comma) size.levels = Math.max(size.levels, ++level);
      size.members++;
      if (level === 1) size.entries++;
    } else if (closing.has(code)) level--;
  }
  return size;
}
