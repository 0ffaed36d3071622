// SPDX-License-Identifier: MIT

import { blockElements, rubyElements } from "@reading-list/core/domain/article-markup.ts";
import { Parser } from "htmlparser2";

/** Elements whose text is not part of the words around them. */
const separate = new Set([...blockElements, ...rubyElements]);

/** The text of a sanitised fragment of HTML, with a line break at each border of a block, and of a reading of characters. */
export function textOfPage(html: string): string {
  const texts: string[] = [];
  const breakLine = (name: string) => {
    if (separate.has(name)) texts.push("\n");
  };
  const parser = new Parser(
    { onopentagname: breakLine, onclosetag: breakLine, ontext: (text) => void texts.push(text) },
    { decodeEntities: true },
  );
  parser.end(html);
  return texts.join("");
}
