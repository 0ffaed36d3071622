// SPDX-License-Identifier: MIT

import { type Token, Tokenizer } from "parse5";
import type { Row } from "./entry.ts";
import { maxFolders, readEntry, readFields } from "./fields.ts";
import { toRow } from "./row.ts";

/** Characters of a link's text that are kept, more than a title holds, and of a description. */
const maxTextLength = 10_000;

/** A link, heading or description whose text is being read. */
interface Element {
  name: "a" | "h1" | "h3" | "dd";
  attributes: readonly (readonly [string, string])[];
  line: number;
}

/** Headings of Pocket and Instapaper above the links that were read. */
const readSections = ["Read Archive", "Archive"];

/** linkding exports archived bookmarks with this tag. */
const linkdingArchived = "linkding:bookmarks.archived";

/**
 * Reads bookmarks as HTML: the Netscape format of browsers, and `ril_export.html` of Pocket. Only tokens are read, no
 * tree is built, so memory does not grow with the file.
 *
 * - Folders (`H3`, then `DL`) become tags, except the roots of a browser, such as the bookmarks bar.
 * - `TOREAD="0"`, linkding's tag for archived bookmarks and the headings of `readSections` mean read.
 */
export async function* readBookmarks(chunks: AsyncIterable<string>): AsyncGenerator<Row> {
  let rows: Row[] = [];
  /** Names of the open folders; undefined for one that does not become a tag. */
  const folders: (string | undefined)[] = [];
  let nextFolder: string | undefined;
  let section = "";
  let text = "";
  let element: Element | undefined;
  /** The last link; its description may follow. */
  let link: { element: Element; title: string } | undefined;

  const endLink = (description = "") => {
    if (!link) return;
    const { attributes, line } = link.element;
    const { fields, lost } = readFields([...attributes, ["description", description]], usedAttributes);
    const { tags = [], ...entry } = readEntry(fields);
    const allTags = tags.flatMap((list) => (typeof list === "string" ? list.split(",") : []));
    const raw = {
      ...{ ...entry, url: fields.href, title: link.title, timeAdded: fields.adddate ?? fields.timeadded },
      tags: [...folders.slice(0, maxFolders), ...allTags.filter((tag) => tag !== linkdingArchived)],
      isRead: fields.toread === "0" || readSections.includes(section) || allTags.includes(linkdingArchived),
      isStarred: fields.dataimportant === "true",
    };
    rows.push(toRow(raw, line, lost));
    link = undefined;
  };
  const end = () => {
    if (!element) return;
    const words = text.replaceAll(/\s+/g, " ").trim();
    const { name, attributes } = element;
    if (name === "a") link = { element, title: words };
    else if (name === "dd") endLink(words);
    else if (name === "h1") section = words;
    else nextFolder = attributes.some(([attribute]) => rootFolders.includes(attribute)) ? undefined : words;
    element = undefined;
  };
  const addText = ({ chars }: Token.CharacterToken) => {
    if (element && text.length < maxTextLength) text += chars;
  };
  const ignore = () => {};
  const tokenizer = new Tokenizer(
    { sourceCodeLocationInfo: true },
    {
      onStartTag: ({ tagName, attrs, location }) => {
        const isElement = tagName === "a" || tagName === "h1" || tagName === "h3" || tagName === "dd";
        if (!isElement && tagName !== "dl" && tagName !== "dt") return;
        end();
        if (tagName !== "dd") endLink();
        if (tagName === "dl") {
          folders.push(nextFolder);
          nextFolder = undefined;
        } else if (isElement) {
          const attributes = attrs.map(({ name, value }) => [name, value] as const);
          element = { name: tagName, attributes, line: location?.startLine ?? 0 };
          text = "";
        }
      },
      onEndTag: ({ tagName }) => {
        if (tagName === element?.name || tagName === "dl") end();
        if (tagName !== "dl") return;
        endLink();
        folders.pop();
      },
      onCharacter: addText,
      onWhitespaceCharacter: addText,
      onNullCharacter: ignore,
      onComment: ignore,
      onDoctype: ignore,
      onEof: ignore,
      onParseError: ({ code, startLine }) => {
        if (code !== "eof-in-tag") return;
        element = undefined;
        rows.push({ problem: "the file ends within this line", line: startLine });
      },
    },
  );
  for await (const chunk of chunks) {
    tokenizer.write(chunk, false);
    yield* rows;
    rows = [];
  }
  tokenizer.write("", true);
  if (element?.name === "a") rows.push({ problem: "the file ends within this link", line: element.line });
  else end();
  endLink();
  yield* rows;
}

/** Attributes of the folders that every browser has. */
const rootFolders = ["personal_toolbar_folder", "unfiled_bookmarks_folder"];

/** Canonical names of attributes that are read here, or belong to the page. */
const usedAttributes = [
  "adddate",
  "dataimportant",
  "datacover",
  "target",
  "rel",
  "class",
  "style",
  "ping",
  "lastvisited",
];
