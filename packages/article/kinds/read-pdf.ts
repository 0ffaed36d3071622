// SPDX-License-Identifier: MIT

import { fileURLToPath } from "node:url";
import type { PDFDocumentProxy, PDFPageProxy } from "pdfjs-dist";
import { FetchError } from "../fetch/fetch-error.ts";

/** A line of a page. Lengths are points; `y` grows downwards. */
export interface PdfLine {
  text: string;
  x: number;
  y: number;
  right: number;
  /** Height of most of its letters. */
  size: number;
  isMonospaced: boolean;
}

export interface Pdf {
  /** The lines of each page, in the order of its content. */
  pages: PdfLine[][];
  /** The titles of the outline, with their depth from 0. */
  outline: ReadonlyMap<string, number>;
  title: string;
  author: string;
  /** ISO 8601; undefined if the document has no time of creation. */
  createdAt: string | undefined;
  language: string;
}

const maxPages = 200;
/** Letters of all pages; more do not fit into a view. */
const maxLetters = 5_000_000;
const maxOutlineTitles = 2000;

/**
 * Reads a PDF. Throws FetchError if the file is not a PDF, is broken, needs a password, or has more than 200 pages. A page that is
 * broken has no lines.
 */
export async function readPdf(data: Uint8Array): Promise<Pdf> {
  // pdf.js would search all of 20 MB for objects.
  if (!Buffer.from(data.subarray(0, headerBytes)).includes("%PDF-")) throw new FetchError(isBroken);
  const { getDocument, PDFDateString, VerbosityLevel } = await importPdfjs();
  const cMapUrl = fileURLToPath(new URL("../../cmaps/", import.meta.resolve(pdfjsModule)));
  // A copy, because pdf.js accepts no Buffer, and keeps the array that it gets.
  const task = getDocument({ ...options, cMapUrl, data: new Uint8Array(data), verbosity: VerbosityLevel.ERRORS });
  try {
    const document = await task.promise.catch((error: Error) => {
      throw new FetchError(error.name === "PasswordException" ? needsPassword : isBroken, { cause: error });
    });
    if (document.numPages > maxPages) throw new FetchError(`is a PDF of more than ${maxPages} pages`);
    const pages = await readPages(document);
    const { info } = await document.getMetadata().catch(() => ({ info: {} }));
    const text = (name: string) => {
      const value = (info as Record<string, unknown>)[name];
      return typeof value === "string" ? value.replace(/\s+/g, " ").trim() : "";
    };
    const created = PDFDateString.toDateObject(text("CreationDate"));
    return {
      pages,
      outline: await readOutline(document),
      title: text("Title"),
      author: text("Author"),
      createdAt: created === null || Number.isNaN(created.getTime()) ? undefined : isoSeconds(created),
      language: text("Language"),
    };
  } finally {
    await task.destroy();
  }
}

/** Bytes in which programs look for the header of a PDF. */
const headerBytes = 1024;
const isBroken = "is a PDF that cannot be decoded";
const needsPassword = "is a PDF that needs a password";

const isoSeconds = (date: Date) => date.toISOString().replace(/\.\d+Z$/, "Z");

/** No font, picture or script of a document is needed for its text. */
const options = {
  disableFontFace: true,
  useSystemFonts: false,
  useWasm: false,
  enableXfa: false,
  isOffscreenCanvasSupported: false,
  isImageDecoderSupported: false,
  maxImageSize: 0,
};

/** Imported when the first PDF is read: pdf.js is larger than the rest of the worker. Its parser runs in this thread. */
async function importPdfjs() {
  const scope = globalThis as { pdfjsWorker?: unknown };
  scope.pdfjsWorker ??= await import("pdfjs-dist/legacy/build/pdf.worker.min.mjs");
  return import("pdfjs-dist/legacy/build/pdf.min.mjs");
}

const pdfjsModule = "pdfjs-dist/legacy/build/pdf.min.mjs";

async function readPages(document: PDFDocumentProxy): Promise<PdfLine[][]> {
  const pages: PdfLine[][] = [];
  let [letters, broken] = [0, 0];
  for (let number = 1; number <= document.numPages && letters < maxLetters; number++) {
    try {
      const page = await document.getPage(number);
      const lines = await readLines(page);
      pages.push(lines);
      letters += lines.reduce((sum, { text }) => sum + text.length, 0);
      page.cleanup();
    } catch {
      pages.push([]);
      broken++;
    }
  }
  if (broken === pages.length) throw new FetchError(isBroken);
  return pages;
}

/** An item of text, with the matrix that places it on the page as it is shown. */
interface Glyphs {
  text: string;
  x: number;
  y: number;
  width: number;
  size: number;
  isMonospaced: boolean;
}

async function readLines(page: PDFPageProxy): Promise<PdfLine[]> {
  const lines: PdfLine[] = [];
  let run: Glyphs[] = [];
  const endLine = () => {
    const line = toLine(run);
    if (line !== undefined) lines.push(line);
    run = [];
  };
  // The matrix of the page: it may be shown turned.
  const [a, b, c, d, e, f] = page.getViewport({ scale: 1 }).transform as Matrix;
  const { items, styles } = await page.getTextContent();
  for (const item of items) {
    if (!("str" in item)) continue;
    const [ia, ib, ic, id, ie, ig] = item.transform as Matrix;
    const [right, down] = [a * ia + c * ib, b * ia + d * ib];
    // Text across the page, such as a stamp in its margin.
    const isUpright = Math.abs(down) <= Math.abs(right);
    if (isUpright && item.str !== "") {
      const glyphs = {
        text: item.str,
        x: a * ie + c * ig + e,
        y: b * ie + d * ig + f,
        width: item.width,
        size: Math.hypot(ic, id),
        isMonospaced: styles[item.fontName]?.fontFamily === "monospace",
      };
      if (Math.abs(glyphs.y - (run.at(-1)?.y ?? glyphs.y)) > glyphs.size * maxShift) endLine();
      run.push(glyphs);
    }
    if (item.hasEOL) endLine();
  }
  endLine();
  return lines;
}

/** Share of the size of letters by which a superscript is above its line. */
const maxShift = 0.8;

type Matrix = [number, number, number, number, number, number];

function toLine(run: readonly Glyphs[]): PdfLine | undefined {
  const shown = run.filter(({ text }) => text.trim() !== "");
  const [first] = shown;
  const last = shown.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const longest = shown.reduce((one, other) => (other.text.length > one.text.length ? other : one));
  return {
    text: run.map((item, place) => (isApart(run[place - 1], item) ? ` ${item.text}` : item.text)).join(""),
    x: first.x,
    y: longest.y,
    right: last.x + last.width,
    size: longest.size,
    isMonospaced: shown.every(({ isMonospaced }) => isMonospaced),
  };
}

/** Whether there is a gap between two items, such as between the columns of a table. */
const isApart = (one: Glyphs | undefined, other: Glyphs) =>
  one !== undefined && other.x - (one.x + one.width) > one.size * minGap && !/\s$/.test(one.text);

/** Share of the size of letters. */
const minGap = 0.25;

/** Bounded: an outline can have a million entries, or contain itself. */
async function readOutline(document: PDFDocumentProxy): Promise<ReadonlyMap<string, number>> {
  const titles = new Map<string, number>();
  const root = (await document.getOutline().catch(() => null)) ?? [];
  const pending = root.map((entry) => ({ entry, depth: 0 }));
  for (let next = pending.pop(); next !== undefined && titles.size < maxOutlineTitles; next = pending.pop()) {
    const { entry, depth } = next;
    titles.set(entry.title, depth);
    for (const inner of entry.items ?? []) pending.push({ entry: inner, depth: depth + 1 });
  }
  return titles;
}
