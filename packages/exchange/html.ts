// SPDX-License-Identifier: MIT

import { type Token, Tokenizer } from "parse5";
import type { Row } from "./entry.ts";
import { isFolderOfService, maxFolders, namesIn, readEntry, readFields } from "./fields.ts";
import { noteRows } from "./mapping.ts";
import { toRow } from "./row.ts";

/** Characters of a link's text that are kept, more than a title holds, and of a description. */
const maxTextLength = 10_000;

/** A link, heading or description whose text is being read. */
interface Element {
  name: "a" | "h1" | "h3" | "dd" | "time";
  attributes: readonly (readonly [string, string])[];
  line: number;
}

const ignore = () => {};
/** Handlers of tokens that hold no field of an entry. */
export const ignoredTokens = { onNullCharacter: ignore, onComment: ignore, onDoctype: ignore, onEof: ignore };

/** Headings of Pocket and Instapaper above the links that were read; others of Instapaper are folders. */
const readSections = ["Read Archive", "Archive"];

/** Tags that are markup of a title or description. Others are text in it, which some services do not escape. */
const markup = new Set(
  "a abbr b big br center cite code dd del dl dt em font hr i img ins kbd li mark nobr ol p q s small span strike strong sub sup svg tt u ul wbr".split(
    " ",
  ),
);

/** linkding exports archived bookmarks with this tag. */
const linkdingArchived = "linkding:bookmarks.archived";
/** It exports notes between these marks, after the description. */
const linkdingNotes = /\[\/?linkding-notes\]/g;

/**
 * Reads bookmarks as HTML: the Netscape format of browsers, and `ril_export.html` of Pocket. Only tokens are read, no
 * tree is built, so memory does not grow with the file.
 *
 * - Folders (`H3`, then `DL`) become tags, except the roots of a browser, such as the bookmarks bar.
 * - `TOREAD="0"`, linkding's tag for archived bookmarks and the headings of `readSections` mean read.
 */
export async function* readBookmarks(chunks: AsyncIterable<string>): AsyncGenerator<Row> {
  let rows: Row[] = [];
  /** Names of the open folders; undefined for a folder that does not become a tag. */
  const folders: (string | undefined)[] = [];
  let nextFolder: string | undefined;
  let section = "";
  /** Whether the section is an ordered list, as Instapaper has it. */
  let isOrdered = false;
  let text = "";
  let element: Element | undefined;
  /** The last link; its description may follow. */
  let link: { element: Element; title: string; time: string } | undefined;

  const endLink = (description = "") => {
    if (!link) return;
    const { attributes, line } = link.element;
    const { fields, lost } = readFields([...attributes, ["description", description]], usedAttributes);
    const { tags: _, ...entry } = readEntry({ ...fields, tags: "" });
    // Our own file keeps URL and tags as they are.
    const isOwn = "lastmodified" in fields && "toread" in fields;
    const lists = [fields.tags, fields.labels].map((list) => String(list ?? ""));
    const allTags = lists.flatMap((list) => (isOwn ? list.split(",") : namesIn(list)));
    const sectionFolder = isOrdered && !readSections.includes(section) && !isFolderOfService(section) ? [section] : [];
    const raw = {
      ...entry,
      url: isOwn ? fields.href : String(fields.href ?? "").trim(),
      title: link.title,
      timeAdded: fields.adddate ?? fields.timeadded ?? link.time,
      tags: [...sectionFolder, ...folders.slice(0, maxFolders), ...allTags.filter((tag) => tag !== linkdingArchived)],
      isRead: fields.toread === "0" || readSections.includes(section) || allTags.includes(linkdingArchived),
      isStarred: fields.dataimportant === "true" || (isOrdered && section === "Starred"),
    };
    rows.push(toRow(raw, line, lost), ...noteRows(raw, line));
    link = undefined;
  };
  const end = () => {
    if (!element) return;
    const words = text.replaceAll(/\s+/g, " ").trim();
    const { name, attributes } = element;
    if (name === "a") link = { element, title: words, time: "" };
    else if (name === "time" && link)
      link.time = attributes.find(([attribute]) => attribute === "datetime")?.[1] ?? words;
    else if (name === "dd") endLink(words.replaceAll(linkdingNotes, "\n\n").trim());
    else if (name === "h1") [section, isOrdered] = [words, false];
    else nextFolder = attributes.some(([attribute]) => rootFolders.includes(attribute)) ? undefined : words;
    element = undefined;
  };
  const addText = ({ chars }: Pick<Token.CharacterToken, "chars">) => {
    if (element && text.length < maxTextLength) text += chars;
  };
  /** A tag as the file has it. */
  const readSource = ({ tagName, selfClosing, location }: Token.TagToken) => {
    const { html, droppedBufferSize } = tokenizer.preprocessor;
    const source =
      location && html.slice(location.startOffset - droppedBufferSize, location.endOffset - droppedBufferSize);
    return source?.startsWith("<") ? source : `<${tagName}${selfClosing ? "/" : ""}>`;
  };
  const tokenizer = new Tokenizer(
    { sourceCodeLocationInfo: true },
    {
      onStartTag: (token) => {
        const { tagName, attrs, location } = token;
        const isElement = ["a", "h1", "h3", "dd"].includes(tagName) || (tagName === "time" && element === undefined);
        // A link in a description is part of it.
        if (tagName === "a" && element?.name === "dd" && link && !attrs.some(({ name }) => name === "add_date")) return;
        if (!isElement && tagName !== "dl" && tagName !== "dt") {
          if (tagName === "ol") isOrdered = true;
          if (element && !markup.has(tagName)) addText({ chars: readSource(token) });
          return;
        }
        end();
        if (tagName !== "dd" && tagName !== "time") endLink();
        if (tagName === "dl") {
          folders.push(nextFolder);
          nextFolder = undefined;
        } else if (isElement) {
          const attributes = attrs.map(({ name, value }) => [name, value] as const);
          element = { name: tagName as Element["name"], attributes, line: location?.startLine ?? 0 };
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
      ...ignoredTokens,
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
  "labels",
  "target",
  "rel",
  "class",
  "style",
  "ping",
  "lastvisited",
];
