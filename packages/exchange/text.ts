import { inEvenChunks } from "./chunks.ts";

/**
 * The text of a file that arrives in chunks: UTF-8, UTF-16 with a byte order mark, or else Latin-1 as Windows writes
 * it. The first character that is not ASCII decides.
 */
export async function* decodeText(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let decoder: Decoder | undefined;
  for await (const bytes of inEvenChunks(chunks)) {
    decoder ??= byMark(bytes);
    if (!decoder) {
      const first = bytes.findIndex((byte) => byte >= 0x80);
      // All of ASCII is the same in both encodings.
      if (first >= 0) decoder = isUtf8(bytes.subarray(first)) ? new TextDecoder() : new TextDecoder("windows-1252");
    }
    const text = (decoder ?? new TextDecoder()).decode(bytes, { stream: decoder !== undefined });
    if (text !== "") yield text;
  }
  const rest = decoder?.decode();
  if (rest) yield rest;
}

type Decoder = InstanceType<typeof TextDecoder>;

function byMark([first, second]: Uint8Array): Decoder | undefined {
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le");
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be");
  return undefined;
}

/** Whether the bytes begin with a character of UTF-8, which may be cut off at the end of the bytes. */
function isUtf8(bytes: Uint8Array): boolean {
  const [lead = 0] = bytes;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(0, length), { stream: bytes.length < length });
    return true;
  } catch {
    return false;
  }
}
