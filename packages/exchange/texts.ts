// SPDX-License-Identifier: MIT

import { inOneChunk, takeUpTo } from "./chunks.ts";
import { isHighlight } from "./entry.ts";
import { readEntries } from "./main.ts";
import { decodeText } from "./text.ts";
import { ArchiveError, readArchive } from "./zip.ts";

/** The text of a page that a file has. */
export interface PageText {
  url: string;
  html: string;
  /** Unix seconds at which the page was saved; undefined if the file has no time for it. */
  timeAdded: number | undefined;
}

/** A text in an archive of Omnivore; its name has the slug of its page. */
const omnivoreText = /^content\/(.+)\.html$/;
/** A file of the folder that Readeck has of a bookmark: its text, and the pictures in it. */
const readeckFile = /^(bookmarks\/[^/]+)\/container\/(.+)$/;

/** Whether a file of an archive is the text of a page, or belongs to one. */
export const isTextFile = (name: string): boolean =>
  omnivoreText.test(name) || readeckFile.exec(name)?.[2] === "index.html";
export const isFileOfText = (name: string): boolean => omnivoreText.test(name) || readeckFile.test(name);

/** Bytes of a text with its pictures; further ones are left out. */
const maxBytes = 64_000_000;

/** Omnivore's proxy for images, which is gone, has the address of the image in its own. */
const omnivoreProxy = /https:\/\/proxy-prod\.omnivore-image-cache\.app\/[^/"']+\/(?=https?:\/\/)/g;
/** A picture of Readeck's folder. */
// bounded: a file of the person who imports it, in that person's browser or command
const readeckPicture = /(<img\b[^>]*?\ssrc=")(?:\.\/)?(_resources\/[^"]+)"/g;

/**
 * The texts of pages that a file has, one after the other. `open` opens the file, which is read twice if it is an
 * archive that contains texts. Throws a FormatError if the format is unknown.
 */
export async function* readTexts(open: () => AsyncIterable<Uint8Array>): AsyncGenerator<PageText> {
  /** By the slug in Omnivore, and by the folder in Readeck. */
  const pages = new Map<string, Omit<PageText, "html">>();
  const { rows, skippedFiles } = await readEntries(open(), { withTexts: true });
  for await (const row of rows) {
    if ("problem" in row || isHighlight(row)) continue;
    const { url, timeAdded, slug, text, file = "" } = row;
    pages.set(slug ?? file.replace(/\/info\.json$/, ""), { url, timeAdded });
    if (text !== undefined) yield { url, timeAdded, html: text };
  }
  if (!skippedFiles.some(isTextFile)) return;
  let folder: Folder | undefined;
  try {
    for await (const { name, chunks } of readArchive(open(), isFileOfText)) {
      const slug = omnivoreText.exec(name)?.[1];
      if (slug !== undefined) {
        const page = pages.get(slug);
        const content = page && (await readBytes(chunks, maxBytes));
        if (content) yield { ...page, html: (await readText(content)).replaceAll(omnivoreProxy, "") };
        continue;
      }
      const [, folderName = "", file = ""] = readeckFile.exec(name) ?? [];
      if (folder?.name !== folderName) {
        if (folder) yield* readFolderText(folder, pages);
        folder = { name: folderName, files: new Map(), left: maxBytes };
      }
      const content = await readBytes(chunks, folder.left);
      if (!content) continue;
      folder.files.set(file, content);
      folder.left -= content.length;
    }
    if (folder) yield* readFolderText(folder, pages);
  } catch (error) {
    // The import of the list has already reported faults of the archive.
    if (!(error instanceof ArchiveError)) throw error;
  }
}

/** The files that Readeck has of a bookmark. */
interface Folder {
  name: string;
  files: Map<string, Buffer>;
  /** Bytes that it may still have. */
  left: number;
}

/** The text of a folder with its pictures within it. */
async function* readFolderText({ name, files }: Folder, pages: ReadonlyMap<string, Omit<PageText, "html">>) {
  const page = pages.get(name);
  const text = files.get("index.html");
  if (!page || !text) return;
  const html = (await readText(text)).replaceAll(readeckPicture, (image, start: string, file: string) => {
    const picture = files.get(file);
    return picture ? `${start}data:image/png;base64,${picture.toString("base64")}"` : image;
  });
  yield { ...page, html };
}

/** The content of a file of an archive; undefined if it has more than `maxLength` bytes. */
async function readBytes(chunks: AsyncIterable<Uint8Array>, maxLength: number): Promise<Buffer | undefined> {
  const { parts, isWhole } = await takeUpTo(chunks, maxLength);
  return isWhole ? Buffer.concat(parts) : undefined;
}

async function readText(content: Uint8Array): Promise<string> {
  const parts: string[] = [];
  for await (const part of decodeText(inOneChunk(content))) parts.push(part);
  return parts.join("");
}
