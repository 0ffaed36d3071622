// SPDX-License-Identifier: MIT

import { escapeHtml, escapeText } from "@reading-list/core/domain/escape.ts";
import { limitMarks } from "../document/combining-marks.ts";
import { toLetters } from "../document/dom.ts";
import { languageTag, withLanguage } from "../document/language.ts";
import { sanitize } from "../view/sanitize.ts";
import { cutToLimit, type PageView } from "../view/text-view.ts";
import { readFileName } from "./image.ts";
import { type Pdf, type PdfLine, readPdf } from "./read-pdf.ts";

/**
 * The view of a PDF: its paragraphs and headings, each page in a section that begins with a link to it. Empty, with a
 * notice, if it has no text. Throws as `readPdf` does.
 */
export async function viewPdf(data: Uint8Array, url: string): Promise<PageView> {
  const pdf = await readPdf(data);
  const pages = withoutRunningHeads(pdf.pages);
  const blocks = pages.map((lines) => splitBlocks(lines));
  const levels = headingLevels(blocks.flat(), pdf);
  const title = chooseTitle(pdf, blocks[0] ?? [], levels, url);
  const shown = blocks.map((page, index) => {
    const titleBlock = index === 0 ? page.find((block) => levels(block) > 0 && isSame(block.text, title)) : undefined;
    return page.filter((block) => block !== titleBlock).map((block) => writeMarkup(block, levels(block)));
  });
  const isOnePage = shown.length === 1;
  const sections = shown
    .map((markup) => markup.join("\n").replace(listEntries, "<ul>$&</ul>"))
    .map((markup, index) => (markup === "" || isOnePage ? markup : pageMarkup(markup, url, index + 1)));
  const clean = (markup: string) => sanitize(markup, { baseUrl: url, images: false });
  const html = cutToLimit(clean(sections.filter((section) => section !== "").join("\n")), clean);
  return {
    html: limitMarks(withLanguage(html, languageTag.test(pdf.language) ? ` lang="${pdf.language}"` : "")),
    title: limitMarks(title),
    nextUrl: undefined,
    loginFound: false,
    author: pdf.author === "" ? undefined : limitMarks(pdf.author),
    publishedAt: pdf.createdAt,
    ...(html === "" && { notice: noText }),
  };
}

const noText = "the PDF has no text; it may be scanned";

const pageMarkup = (markup: string, url: string, number: number) =>
  `<section><p><a href="${escapeHtml(toPageUrl(url, number))}"><small>${number}</small></a></p>\n${markup}</section>`;

/** Readers of PDF open this page. */
function toPageUrl(url: string, number: number): string {
  const page = new URL(url);
  page.hash = `page=${number}`;
  return page.href;
}

/** A paragraph, heading, entry of a list, or listing. */
interface Block {
  text: string;
  size: number;
  isListing: boolean;
  lines: number;
}

/** Lines at the edge of a page that are looked at, and pages from which on a line is a running head. */
const edgeLines = 2;
const minRepeats = 3;
/** Share of a document's text. Repeated text above this share is not a running head, for example on slides. */
const maxHeadShare = 0.15;

/** Pages without page numbers, and without lines at their edges that other pages repeat, apart from numbers. */
function withoutRunningHeads(pages: readonly PdfLine[][]): PdfLine[][] {
  const toWords = ({ text }: PdfLine) => toLetters(text).replace(/\p{N}+|^[ivxlc]+$/gu, "");
  const toKey = (line: PdfLine) => `${Math.round(line.y)} ${toWords(line)}`;
  const edges = pages.map((lines) => {
    const byHeight = lines.toSorted((one, other) => one.y - other.y);
    return [...new Set([...byHeight.slice(0, edgeLines), ...byHeight.slice(-edgeLines)])];
  });
  const repeats = new Map<string, number>();
  for (const lines of edges) {
    for (const key of new Set(lines.map(toKey))) repeats.set(key, (repeats.get(key) ?? 0) + 1);
  }
  const heads = edges.flat().filter((line) => (repeats.get(toKey(line)) ?? 0) >= minRepeats);
  const length = (lines: readonly PdfLine[]) => lines.reduce((sum, { text }) => sum + text.length, 0);
  const areHeads = length(heads) <= length(pages.flat()) * maxHeadShare;
  const removed = new Set(areHeads ? heads : heads.filter((line) => toWords(line) === ""));
  return pages.map((lines) => lines.filter((line) => !removed.has(line)));
}

/** Lines that belong together. */
function splitBlocks(lines: readonly PdfLine[]): Block[] {
  const leading = usualLeading(lines);
  const blocks: PdfLine[][] = [];
  let previous: PdfLine | undefined;
  for (const line of lines) {
    if (previous !== undefined && continues(previous, line, { leading, edge: rightEdge(previous, lines) }))
      blocks.at(-1)?.push(line);
    else blocks.push([line]);
    previous = line;
  }
  return blocks.map(toBlock);
}

/** Whether a line continues the paragraph of the line before. */
function continues(one: PdfLine, other: PdfLine, { leading, edge }: { leading: number; edge: number }): boolean {
  if (Math.abs(one.size - other.size) > one.size * sizeTolerance || one.isMonospaced !== other.isMonospaced)
    return false;
  const step = (other.y - one.y) / one.size;
  // A sentence can continue at the top of the next column.
  if (step < 0) return !sentenceEnd.test(one.text) && !one.isMonospaced;
  if (step > Math.max(leading, minLeading) * maxLeadingGrowth) return false;
  if (one.isMonospaced) return true;
  if (leader.test(one.text)) return false;
  if (/^\p{Ll}/u.test(other.text) && !sentenceEnd.test(one.text)) return true;
  if (listMarker.test(other.text)) return false;
  if (other.x > one.x + one.size * indentation && sentenceEnd.test(one.text)) return false;
  const [firstWord = ""] = other.text.trimStart().split(/\s/);
  const wordWidth = ((other.right - other.x) * firstWord.length) / Math.max(1, other.text.trim().length);
  // The first word would have fitted into the line before.
  return one.right + wordWidth + one.size * blankWidth > edge;
}

/** Shares of the size of letters. */
const sizeTolerance = 0.12;
const minLeading = 1.1;
const maxLeadingGrowth = 1.35;
const indentation = 0.8;
const blankWidth = 0.6;
const sentenceEnd = /[.!?:;…。！？]["'”’»)\]]*\s*$/;
const listMarker = /^\s*(?:[•▪‣◦●○■–—*-]\s|\(?(?:\d{1,2}|[a-z])[.)]\s)/;

/** The most frequent distance between two lines, as a share of the size of their letters. */
function usualLeading(lines: readonly PdfLine[]): number {
  const steps = lines.slice(1).map((line, place) => {
    const before = lines[place] as PdfLine;
    return before.size === line.size ? Math.round(((line.y - before.y) / line.size) * 20) / 20 : 0;
  });
  return mostFrequent(steps.filter((step) => step > 0 && step < maxLeading)) ?? minLeading;
}

const maxLeading = 2.5;

/** The right edge of the column of a line. */
function rightEdge(line: PdfLine, lines: readonly PdfLine[]): number {
  const near = lines.filter(({ x }) => Math.abs(x - line.x) < line.size * columnTolerance);
  return near.reduce((edge, { right }) => Math.max(edge, right), line.right);
}

const columnTolerance = 3;

function toBlock(lines: readonly PdfLine[]): Block {
  const isListing = lines.every(({ isMonospaced }) => isMonospaced);
  return {
    text: isListing ? writeListing(lines) : tidy(lines.reduce((text, line) => joined(text, line.text.trim()), "")),
    size: lines[0]?.size ?? 0,
    isListing,
    lines: lines.length,
  };
}

/** A word that was broken at the end of a line is one word again. */
function joined(text: string, line: string): string {
  if (text === "") return line;
  if (/\p{L}[-\u00ad\u2010]$/u.test(text) && /^\p{Ll}/u.test(line)) return text.slice(0, -1) + line;
  return noSpaces.test(text.at(-1) ?? "") && noSpaces.test(line[0] ?? "") ? text + line : `${text} ${line}`;
}

const noSpaces = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uffef]/u;

/** The dots that lead to a page number. */
const leader = /(?:\s?\.){5,}\s*/;
const tidy = (text: string) => text.replaceAll(new RegExp(leader, "g"), " … ").replace(/\s+/g, " ").trim();

function writeListing(lines: readonly PdfLine[]): string {
  const left = Math.min(...lines.map(({ x }) => x));
  const widths = lines.map(({ x, right, text }) => (right - x) / Math.max(1, text.trim().length));
  const width = Math.max(1, mostFrequent(widths.map((each) => Math.round(each * 10) / 10)) ?? 1);
  return lines
    .map(({ x, text }) => " ".repeat(Math.min(maxIndent, Math.round((x - left) / width))) + text.trim())
    .join("\n");
}

const maxIndent = 40;

/** The level of a block as a heading, from 2; 0 if the block is not a heading. */
function headingLevels(blocks: readonly Block[], { outline }: Pdf): (block: Block) => number {
  const letters = new Map<number, number>();
  for (const { size, text } of blocks) letters.set(sizeStep(size), (letters.get(sizeStep(size)) ?? 0) + text.length);
  const [[body] = [0]] = [...letters].toSorted(([, one], [, other]) => other - one);
  const isLarger = ({ size, text, isListing, lines }: Block) =>
    sizeStep(size) >= body * minGrowth &&
    text.length <= maxHeadingLength &&
    lines <= 3 &&
    !isListing &&
    hasLetter.test(text);
  const sizes = [...new Set(blocks.filter(isLarger).map(({ size }) => sizeStep(size)))].toSorted((a, b) => b - a);
  const depths = new Map([...outline].map(([title, depth]) => [toLetters(title), depth]));
  return (block) => {
    const depth = block.text.length <= maxHeadingLength ? depths.get(toLetters(block.text)) : undefined;
    if (depth !== undefined && hasLetter.test(block.text)) return Math.min(maxLevel, 2 + depth);
    return isLarger(block) ? Math.min(maxLevel, 2 + sizes.indexOf(sizeStep(block.size))) : 0;
  };
}

const maxLevel = 4;
const minGrowth = 1.15;
const maxHeadingLength = 200;
const hasLetter = /\p{L}{2}/u;
const sizeStep = (size: number) => Math.round(size * 2) / 2;

/** The title in the document's properties, if it is one; else the largest heading of the first page; else the file's name. */
function chooseTitle(pdf: Pdf, firstPage: readonly Block[], levels: (block: Block) => number, url: string): string {
  if (hasLetter.test(pdf.title) && !programTitle.test(pdf.title)) return pdf.title;
  const [heading] = firstPage.filter((block) => levels(block) > 0).toSorted((one, other) => other.size - one.size);
  return heading?.text ?? readFileName(url).replace(/\.pdf$/i, "");
}

/** Titles that programs write. */
const programTitle =
  /^(?:microsoft word|microsoft powerpoint|powerpoint|untitled|slide 1|layout \d|document\d*$)|\.(?:docx?|pptx?|xlsx?|pdf|tex|dvi|indd|rtf|odt|p65|qxd)$/i;

function writeMarkup({ text, isListing }: Block, level: number): string {
  if (isListing && text.includes("\n")) return `<pre>${escapeText(text)}</pre>`;
  const bullet = level === 0 && bulletAtStart.exec(text)?.[0];
  if (bullet) return `<li>${escapeText(text.slice(bullet.length))}</li>`;
  const name = level > 0 ? `h${level}` : "p";
  return `<${name}>${escapeText(text)}</${name}>`;
}

const bulletAtStart = /^[•▪‣◦●○■]\s+/;
/** Entries that follow each other. Text has no `<`, and only listings have line breaks. */
const listEntries = /<li>[^<]*<\/li>(?:\n<li>[^<]*<\/li>)*/g;

const isSame = (one: string, other: string) => toLetters(one) === toLetters(other);

function mostFrequent(values: readonly number[]): number | undefined {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].toSorted(([, one], [, other]) => other - one)[0]?.[0];
}
