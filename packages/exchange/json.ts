import type { Problem } from "./entry.ts";

/** An object in an array of a JSON file. */
export interface JsonElement {
  /** Name of the array in the object that the file is; empty if the file is the array. */
  key: string;
  fields: Record<string, unknown>;
  line: number;
}

/** Characters of one element. Those of wallabag have the whole article in them. */
const longestElement = 16_000_000;
const deepestNesting = 1000;

/**
 * The objects in the arrays of a JSON file, one after the other, so that memory does not grow with the file: in the
 * array that the file is, or in the arrays of the object that the file is.
 */
export async function* readElements(chunks: AsyncIterable<string>): AsyncGenerator<JsonElement | Problem> {
  const marks = /["\\{}[\]\n]/g;
  let line = 1;
  /** The open brackets. */
  let nesting = "";
  let isString = false;
  let isEscaped = false;
  let key = "";
  /** Line on which the element begins that is being read. */
  let begin: number | undefined;
  /** The beginning of that element, or of a name in the object that the file is; the rest is in the present chunk. */
  let text: string | undefined;
  for await (const chunk of chunks) {
    let from = 0;
    marks.lastIndex = isEscaped ? 1 : 0;
    isEscaped = false;
    for (let found = marks.exec(chunk); found; found = marks.exec(chunk)) {
      const [mark] = found;
      if (mark === "\n") line++;
      else if (mark === "\\") {
        isEscaped = found.index + 1 === chunk.length;
        marks.lastIndex = found.index + 2;
      } else if (mark === '"') {
        if (nesting === "{") {
          if (isString) key = `${text}${chunk.slice(from, found.index)}`;
          text = isString ? undefined : "";
          from = found.index + 1;
        }
        isString = !isString;
      } else if (isString) {
        // A bracket in a string is text.
      } else if (mark === "{" || mark === "[") {
        if (mark === "{" && isList(nesting)) {
          begin = line;
          text = "";
          from = found.index;
        }
        nesting += mark;
        if (nesting.length > deepestNesting) {
          yield { problem: `more than ${deepestNesting} brackets are open: nothing is read from here on`, line };
          return;
        }
      } else {
        nesting = nesting.slice(0, -1);
        if (begin !== undefined && isList(nesting)) {
          yield elementOf(`${text}${chunk.slice(from, found.index + 1)}`, nesting === "[" ? "" : key, begin);
          begin = undefined;
          text = undefined;
        }
      }
    }
    if (text !== undefined) text += chunk.slice(from);
    if (text !== undefined && text.length > longestElement) {
      yield { problem: "an entry is longer than 16 MB: nothing is read from here on", line: begin ?? line };
      return;
    }
  }
  if (nesting !== "") yield { problem: "the file ends within this entry or list", line: begin ?? line };
}

const isList = (nesting: string) => nesting === "[" || nesting === "{[";

function elementOf(text: string, key: string, line: number): JsonElement | Problem {
  try {
    return { key, fields: JSON.parse(text), line };
  } catch {
    return { problem: "not valid JSON", line };
  }
}
