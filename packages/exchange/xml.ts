// SPDX-License-Identifier: MIT

import { Tokenizer } from "parse5";
import type { Row } from "./entry.ts";
import { findUrl, isFolderOfService, maxFolders, readFields } from "./fields.ts";
import type { Head } from "./head.ts";
import { ignoredTokens } from "./html.ts";
import { readPage, readPost } from "./mapping.ts";

/** An element that is open. */
export interface XmlElement {
  /** In lower case. */
  name: string;
  /** Its attributes and the elements in it by their names; several of one name are an array. */
  fields: Record<string, unknown>;
  text: string;
  line: number;
}

/** Characters of an element's text that are kept, more than a note holds. */
const maxTextLength = 20_000;
/** Elements that may be open; names of fields, and fields of one name, that are kept of an element. */
const [maxDepth, maxNames, maxOfOneName] = [1000, 100, 500];

/**
 * Calls `onEnd` for each element of XML with the open elements around it, the outermost first. Only tokens are read, as
 * HTML has them: no entity is declared or loaded, and a damaged file is read as far as it can be. Yields what `onEnd`
 * returns, and a problem for a file that was cut off.
 */
export async function* readElementsOfXml(
  chunks: AsyncIterable<string>,
  onEnd: (element: XmlElement, around: readonly XmlElement[]) => Iterable<Row>,
): AsyncGenerator<Row> {
  let rows: Row[] = [];
  const open: XmlElement[] = [];
  /** Elements that are open deeper than `maxDepth`. */
  let beyond = 0;
  const end = () => {
    const element = open.pop();
    if (element) rows.push(...onEnd(element, open));
  };
  const addText = ({ chars }: { chars: string }) => {
    const element = open.at(-1);
    if (element && element.text.length < maxTextLength) element.text += chars;
  };
  const tokenizer = new Tokenizer(
    { sourceCodeLocationInfo: true },
    {
      onStartTag: ({ tagName, attrs, location, selfClosing }) => {
        if (open.length >= maxDepth) {
          if (!selfClosing) beyond++;
          return;
        }
        const fields = Object.fromEntries(attrs.slice(0, maxNames).map(({ name, value }) => [name, value]));
        const element = { name: tagName, fields, text: "", line: location?.startLine ?? 0 };
        open.push(element);
        if (selfClosing) end();
      },
      onEndTag: ({ tagName }) => {
        if (beyond > 0) beyond--;
        // Elements that are not closed end with the one around them.
        else if (open.at(-1)?.name === tagName) end();
        else if (open.some(({ name }) => name === tagName)) {
          while (open.at(-1)?.name !== tagName) end();
          end();
        }
      },
      onCharacter: addText,
      onWhitespaceCharacter: addText,
      ...ignoredTokens,
      onParseError: () => {},
    },
  );
  tokenizer.inForeignNode = true;
  for await (const chunk of chunks) {
    tokenizer.write(chunk, false);
    yield* rows;
    rows = [];
  }
  tokenizer.write("", true);
  yield* rows;
  const [outermost] = open;
  if (outermost) yield { problem: "the file ends within this entry or list", line: open.at(-1)?.line ?? 0 };
}

/** Elements at the beginning of files of lists, without a declaration of XML. */
const roots = /^<(posts|xbel|opml|en-export|result|response|!DOCTYPE (xbel|en-export))[\s>]/i;
/** Elements of pages, of feeds, which are not a user's lists, and of pictures. */
const others = /<(html|dl|rss|feed|rdf:rdf|svg|kml)[\s>]/i;

/** Whether a file begins as XML of pages does. */
export const isPageXml = (text: string): boolean =>
  (/^<\?xml\s/i.test(text) || roots.test(text)) && !others.test(text.slice(0, 2000));

/** Elements that have an address of something else than a page. */
const otherElements = ["resource", "image", "icon", "preview", "link"];

/** Reads the elements that have the address of a page. Elements around them with a title are folders. */
export async function* readXml(chunks: AsyncIterable<string>, { withTexts, withFeeds }: Head): AsyncGenerator<Row> {
  /** Elements in which pages were found. */
  const parents = new WeakSet<XmlElement>();
  yield* readElementsOfXml(chunks, function* (element, around) {
    const parent = around.at(-1);
    const { name, fields, text, line } = element;
    const { xmlurl, htmlurl, ...others } = fields;
    const isFeed = name === "outline" && typeof xmlurl === "string";
    const url = isFeed ? htmlurl || xmlurl : (findUrl(readFields(Object.entries(others)).fields) ?? htmlurl);
    const isPage =
      typeof url === "string" &&
      !parents.has(element) &&
      !otherElements.includes(name) &&
      !name.endsWith("-attributes");
    if (isPage) for (const each of around) parents.add(each);
    if (isPage && isFeed && !withFeeds) yield { problem: "a feed", isFeed: true, line };
    else if (isPage) {
      const folders = around.slice(1).flatMap(folderIn).slice(0, maxFolders);
      const page = Object.entries({ ...others, ...(name === "outline" && { url }) });
      yield* readPage({ fields: page, folders }, line, name === "post" ? { read: readPost } : {}, withTexts);
    } else if (parent)
      addField(parent, name, text.trim() === "" && Object.keys(fields).length > 0 ? fields : text.trim());
  });
}

function folderIn({ fields: { title, text = title } }: XmlElement): string[] {
  return typeof text === "string" && !isFolderOfService(text) ? [text] : [];
}

function addField({ fields }: XmlElement, name: string, value: unknown): void {
  if (name.endsWith("-attributes") && typeof value === "object") Object.assign(fields, value);
  else if (!(name in fields)) {
    if (Object.keys(fields).length < maxNames) fields[name] = value;
  } else if (!Array.isArray(fields[name])) fields[name] = [fields[name], value];
  else if (fields[name].length < maxOfOneName) fields[name].push(value);
}
