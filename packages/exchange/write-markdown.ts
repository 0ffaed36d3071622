// SPDX-License-Identifier: MIT

import { isPageNote } from "@reading-list/core/domain/highlight-fields.ts";
import { type ExportedHighlight, type ExportedItem, joinPageNotes } from "./exported-item.ts";
import { startZip } from "./write-zip.ts";

/** A file of Markdown. */
interface MarkdownFile {
  name: string;
  text: string;
}

/**
 * The pages with highlights, each as a file for Obsidian or Logseq: URL, tags and times as properties, then the notes on the
 * page, and a list of the highlights, each a quotation with its note below it. The files are named after the titles.
 */
async function* markdownFiles(items: AsyncIterable<ExportedItem>): AsyncGenerator<MarkdownFile> {
  const names = new Set<string>();
  for await (const item of items) {
    if (!item.highlights?.length) continue;
    const title = toNoteName(item.title);
    // Case does not count in file names of Windows and macOS.
    const name = names.has(title.toLowerCase()) ? `${title} ${item.itemId}` : title;
    names.add(name.toLowerCase());
    yield { name: `${name}.md`, text: writeNote(item) };
  }
}

/** A zip of a file of Markdown for each page with highlights. */
export async function* writeMarkdown(items: AsyncIterable<ExportedItem>): AsyncGenerator<Uint8Array> {
  const { begin, chunks, zip } = startZip();
  for await (const { name, text } of markdownFiles(items)) {
    begin(name).push(new TextEncoder().encode(text), true);
    yield* chunks.splice(0);
  }
  zip.end();
  yield* chunks;
}

/** Bytes of a file name without its ending; file systems take 255. */
const maxNameBytes = 180;
/** Characters of a title that are read. */
const maxNameLength = 1000;

/** A title without what file systems, or links of Obsidian, do not take. */
function toNoteName(title: string): string {
  const allowed = title
    .slice(0, maxNameLength)
    .toWellFormed()
    .replaceAll(/[\p{Cc}\\/:*?"<>|#^[\]]+/gu, " ")
    .replaceAll(/\s+/g, " ")
    // bounded: the first 1,000 characters of a title
    .replaceAll(/^[. ]+|[. ]+$/g, "");
  let name = "";
  let left = maxNameBytes;
  for (const character of allowed) {
    left -= new TextEncoder().encode(character).length;
    if (left < 0) break;
    name += character;
  }
  // Names of devices on Windows.
  return /^(|con|prn|aux|nul|com\d|lpt\d)$/i.test(name) ? `${name}_` : name.trim();
}

function writeNote(item: ExportedItem): string {
  const { url, title, tags, timeAdded, highlights = [] } = item;
  const note = joinPageNotes(item);
  return [
    "---",
    // JSON is YAML.
    `title: ${JSON.stringify(title)}`,
    `url: ${JSON.stringify(url)}`,
    // Tags of Obsidian have no spaces.
    `tags: ${JSON.stringify(tags.map((tag) => tag.replaceAll(/\s+/g, "-")))}`,
    `added: ${writeDay(timeAdded)}`,
    "---",
    "",
    `# ${escapeMarkdown(title.replaceAll(/\s+/g, " "))}`,
    "",
    ...(note === "" ? [] : [...splitLines(note), ""]),
    ...highlights.filter((each) => !isPageNote(each)).map(listEntry),
    "",
  ].join("\n");
}

function listEntry({ quote, note, color, timeCreated }: ExportedHighlight): string {
  const lines = [
    ...splitLines(quote).map((line) => `> ${line}`.trimEnd()),
    "",
    ...(note === "" ? [] : [...splitLines(note), ""]),
    `(${color}, ${writeDay(timeCreated)})`,
  ];
  return lines.map((line, index) => (index === 0 ? `- ${line}` : line && `  ${line}`)).join("\n");
}

const writeDay = (seconds: number) => new Date(1000 * seconds).toISOString().slice(0, 10);

const splitLines = (text: string) =>
  text
    .trim()
    .split(/\r\n|[\r\n]/)
    .map((line) => escapeMarkdown(line.trim()));

/** Text without a meaning in Markdown, in links and tags of Obsidian and Logseq, or in HTML. */
const escapeMarkdown = (line: string) =>
  line
    .replaceAll(/[\\`*_{}[\]<>#~=$%|^&!]/g, "\\$&")
    .replace(/^(\d{1,9})([.)])/, "$1\\$2")
    .replace(/^[-+]/, "\\$&");
