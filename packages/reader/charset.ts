import { isUtf8 } from "node:buffer";
import { detect } from "chardet";
import sniffEncoding from "html-encoding-sniffer";

/**
 * The text of a page, by the WHATWG rules: byte order mark, then the `charset` of the Content-Type, then the page's own
 * declaration. A page that declares nothing is UTF-8 where nearly all of its bytes are, else a guess from its letters.
 * Broken bytes become U+FFFD; it never fails.
 */
export async function decodePage(
  bytes: Uint8Array,
  declared: { charset: string | undefined; xml: boolean },
): Promise<string> {
  return decodeAs(encodingOf(bytes, declared), bytes);
}

const undeclared = "undeclared";
/** Enough for letter frequencies; the guess reads its sample many times over. */
const sampleBytes = 64 * 1024;
/** Pages declare themselves late more often than the standard's first 1,024 bytes allow. */
const prescanBytes = 16 * 1024;

function encodingOf(bytes: Uint8Array, declared: { charset: string | undefined; xml: boolean }): string {
  const encoding = declaredEncoding(bytes, declared, prescanBytes);
  if (encoding !== undeclared) return encoding;
  if (isMostlyUtf8(bytes)) return "UTF-8";
  // Browsers read on for a declaration as well; so far down it may also be an example of one.
  const late = declaredEncoding(bytes, declared, Number.POSITIVE_INFINITY);
  return late === undeclared ? guessEncoding(bytes) : late;
}

function declaredEncoding(
  bytes: Uint8Array,
  declared: { charset: string | undefined; xml: boolean },
  maxPrescanBytes: number,
): string {
  return sniffEncoding(bytes, {
    xml: declared.xml,
    ...(declared.charset !== undefined && { transportLayerEncodingLabel: declared.charset }),
    ...(!declared.xml && { maxPrescanBytes }),
    defaultEncoding: undeclared,
  });
}

/** Whether characters of several bytes far outnumber broken ones; one that the end cuts off is not broken. */
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

/** What the detector knows and no browser decodes. */
const browserless = ["ISO-2022-KR", "ISO-2022-CN", "UTF-32BE", "UTF-32LE"];

function guessEncoding(bytes: Uint8Array): string {
  const guess = detect(bytes.subarray(0, sampleBytes)) ?? "windows-1252";
  return browserless.includes(guess) ? "windows-1252" : guess;
}

async function decodeAs(encoding: string, bytes: Uint8Array): Promise<string> {
  if (encoding === "UTF-8") return new TextDecoder().decode(bytes);
  // Loaded when needed: the tables of the legacy encodings are large, and most pages are UTF-8.
  const { TextDecoder: LegacyDecoder, labelToName } = await import("@exodus/bytes/encoding.js");
  const name = labelToName(encoding) ?? "windows-1252";
  // A page that names the encoding "replacement" is shown as one broken character by browsers.
  if (name === "replacement") return "\ufffd";
  return new LegacyDecoder(name).decode(bytes);
}
