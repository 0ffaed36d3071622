// SPDX-License-Identifier: MIT

import { inEvenChunks } from "./chunks.ts";

/**
 * The text of a file that arrives in chunks. A byte order mark, zero bytes of UTF-16 or the `META` of HTML decide the
 * encoding; otherwise it is UTF-8, or Windows-1252 if the first character that is not ASCII is not UTF-8. Line breaks
 * that are a single CR, as in old files of the Macintosh, become LF.
 */
export async function* decodeText(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let decoder: Decoder | undefined;
  let declared: string | undefined;
  let hasCrOnly: boolean | undefined;
  for await (const bytes of inEvenChunks(chunks)) {
    if (hasCrOnly === undefined) {
      decoder = findUnicodeDecoder(bytes);
      declared = findDeclaredEncoding(bytes);
    }
    if (!decoder) {
      const first = bytes.findIndex((byte) => byte >= 0x80);
      // ASCII is the same in all other encodings.
      if (first >= 0) decoder = new TextDecoder(chooseEncoding(bytes, first, declared));
    }
    const text = (decoder ?? new TextDecoder()).decode(bytes, { stream: decoder !== undefined });
    hasCrOnly ??= /\r[^\n]/.test(text) && !text.includes("\n");
    if (text !== "") yield hasCrOnly ? text.replaceAll("\r", "\n") : text;
  }
  const rest = decoder?.decode();
  if (rest) yield rest;
}

type Decoder = InstanceType<typeof TextDecoder>;

/** By a byte order mark, or by an ASCII character in UTF-16. */
function findUnicodeDecoder([first, second, third]: Uint8Array): Decoder | undefined {
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le");
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be");
  if (first && second === 0 && third) return new TextDecoder("utf-16le");
  if (first === 0 && second && third === 0) return new TextDecoder("utf-16be");
  return undefined;
}

/** The encoding that the `META` of an HTML file names; undefined if it names none, or an unknown one. */
function findDeclaredEncoding(bytes: Uint8Array): string | undefined {
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, 4096));
  const [, label] =
    // bounded: a file of the person who imports it, in that person's browser or command
    (head.trimStart().startsWith("<") && /<meta[^>]{1,200}?charset\s*=\s*["']?([\w-]+)/i.exec(head)) || [];
  try {
    return label && new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

function chooseEncoding(bytes: Uint8Array, first: number, declared: string | undefined): string {
  // A few characters of other encodings look like UTF-8, but not all of a text.
  if (declared !== undefined && declared !== "utf-8") return isUtf8(bytes.subarray(first)) ? "utf-8" : declared;
  const [lead = 0] = bytes.subarray(first);
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  return isUtf8(bytes.subarray(first, first + length)) ? "utf-8" : "windows-1252";
}

/** Whether the bytes are UTF-8; the last character may be cut off. */
function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
