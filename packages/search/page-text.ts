// SPDX-License-Identifier: MIT

import { articleElements } from "@reading-list/core/domain/article-markup.ts";
import { Parser } from "htmlparser2";

const inline = new Set(
  "a abbr b bdi bdo cite code del dfn em i img ins kbd mark q s samp small span strong sub sup time u var wbr".split(
    " ",
  ),
);
const blocks = new Set(articleElements.filter((name) => !inline.has(name)));

/** The text of a sanitised fragment of HTML, with a line break at each border of a block. */
export function textOfPage(html: string): string {
  const texts: string[] = [];
  const breakLine = (name: string) => {
    if (blocks.has(name)) texts.push("\n");
  };
  const parser = new Parser(
    { onopentagname: breakLine, onclosetag: breakLine, ontext: (text) => void texts.push(text) },
    { decodeEntities: true },
  );
  parser.end(html);
  return texts.join("");
}
