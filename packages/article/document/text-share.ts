// SPDX-License-Identifier: MIT

import { type DomElement, type DomNode, isElement, textNode } from "./dom.ts";

/** The parts of the length of a text, with its white space collapsed. */
interface TextSize {
  letters: number;
  /** Runs of white space, with those at the ends. */
  spaces: number;
  startsWithSpace: boolean;
  endsWithSpace: boolean;
}

/**
 * The characters of the descendants with these names (lower case), each counted with all of its text, by those of the
 * element: more than 1 if they are nested; 0 without text. White space is collapsed and trimmed.
 */
export function measureTextShare(element: DomElement, names: ReadonlySet<string>): number {
  let inner = 0;
  const measure = (node: DomNode): TextSize => {
    if (node.nodeType === textNode) return measureSize(node.textContent);
    const size = measureSize("");
    for (let child = node.firstChild; child !== null; child = child.nextSibling) {
      const part = measure(child);
      if (isElement(child) && names.has(child.localName.toLowerCase())) inner += countCharacters(part);
      append(size, part);
    }
    return size;
  };
  const length = countCharacters(measure(element));
  return length === 0 ? 0 : inner / length;
}

function measureSize(text: string): TextSize {
  const runs = text.match(/\s+/g) ?? [];
  return {
    letters: text.length - runs.reduce((sum, run) => sum + run.length, 0),
    spaces: runs.length,
    startsWithSpace: /^\s/.test(text),
    endsWithSpace: /\s$/.test(text),
  };
}

function append(size: TextSize, part: TextSize): void {
  if (part.letters + part.spaces === 0) return;
  if (size.letters + size.spaces === 0) size.startsWithSpace = part.startsWithSpace;
  size.spaces += part.spaces - (size.endsWithSpace && part.startsWithSpace ? 1 : 0);
  size.letters += part.letters;
  size.endsWithSpace = part.endsWithSpace;
}

const countCharacters = ({ letters, spaces, startsWithSpace, endsWithSpace }: TextSize): number =>
  letters === 0 ? 0 : letters + spaces - Number(startsWithSpace) - Number(endsWithSpace);
