// SPDX-License-Identifier: MIT

import { isUtf8 } from "node:buffer";
import { detect } from "chardet";
import sniffEncoding from "html-encoding-sniffer";

/**
 * Decodes a page by the WHATWG rules: byte order mark, then the `charset` of the Content-Type, then the page's own
 * declaration. A page without a declaration is UTF-8 if nearly all of its bytes are valid UTF-8; else the encoding is
 * guessed from letter frequencies. Invalid bytes become U+FFFD. It never throws.
 */
export async function decodePage(bytes: Uint8Array, declared: Declared): Promise<string> {
  const encoding = detectEncoding(bytes, declared);
  if (encoding === "UTF-8") return new TextDecoder().decode(bytes);
  // Imported when needed: the tables of the legacy encodings are large, and most pages are UTF-8.
  const { TextDecoder: LegacyDecoder, labelToName } = await import("@exodus/bytes/encoding.js");
  const name = labelToName(encoding) ?? "windows-1252";
  // Browsers show a page in the encoding "replacement" as a single U+FFFD.
  return name === "replacement" ? "\ufffd" : new LegacyDecoder(name).decode(bytes);
}

interface Declared {
  charset: string | undefined;
  xml: boolean;
}

const undeclared = "undeclared";
/** Enough for letter frequencies. The detector reads the sample once per encoding, so it is limited. */
const sampleBytes = 64 * 1024;
/** More than the 1,024 bytes of the standard, because many pages declare their encoding later. */
const prescanBytes = 16 * 1024;

function detectEncoding(bytes: Uint8Array, { charset, xml }: Declared): string {
  const declaredWithin = (maxBytes: number) =>
    sniffEncoding(bytes, {
      xml,
      transportLayerEncodingLabel: charset,
      maxPrescanBytes: xml ? undefined : maxBytes,
      defaultEncoding: undeclared,
    });
  const encoding = declaredWithin(prescanBytes);
  if (encoding !== undeclared) return encoding;
  if (isMostlyUtf8(bytes)) return "UTF-8";
  // Browsers also accept a later declaration. It comes after the UTF-8 check, because it may be part of an example.
  const late = declaredWithin(Number.POSITIVE_INFINITY);
  return late === undeclared ? guessEncoding(bytes) : late;
}

/** Whether valid multi-byte characters outnumber invalid ones at least 4 to 1. A truncated last character is valid. */
function isMostlyUtf8(bytes: Uint8Array): boolean {
  const text = new TextDecoder().decode(bytes, { stream: true });
  let [whole, broken] = [0, 0];
  for (let place = 0; place < text.length; place++) {
    const unit = text.charCodeAt(place);
    if (unit === replacementCharacter) broken++;
    else if (unit > lastAscii) whole++;
  }
  return broken === 0 ? whole > 0 || isUtf8(bytes) : whole >= broken * wholeForEachBroken;
}

const lastAscii = 0x7f;
const replacementCharacter = 0xfffd;
const wholeForEachBroken = 4;

/** Encodings that the detector may return and no browser decodes. */
const browserless = ["ISO-2022-KR", "ISO-2022-CN", "UTF-32BE", "UTF-32LE"];

function guessEncoding(bytes: Uint8Array): string {
  const guess = detect(bytes.subarray(0, sampleBytes)) ?? "windows-1252";
  return browserless.includes(guess) ? "windows-1252" : guess;
}
