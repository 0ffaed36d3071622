import type { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from "node:zlib";
import { FetchFailure } from "./fetch-failure.ts";

/** What the reader asks for in `Accept-Encoding`; servers disagree on what `deflate` means. */
export const acceptedEncodings = "gzip, br, zstd";

const maxLayers = 3;
/** RFC 9659: a zstd window of the web is at most 8 MB. */
const zstdWindowLog = 23;

// A body that was cut off in transit still shows what came, as in a browser.
const lenientZlib = { finishFlush: constants.Z_SYNC_FLUSH };

const decoders = new Map<string, () => Transform>([
  ["gzip", () => createGunzip(lenientZlib)],
  ["x-gzip", () => createGunzip(lenientZlib)],
  ["deflate", () => createInflate(lenientZlib)],
  ["br", () => createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH })],
  ["zstd", () => createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: zstdWindowLog } })],
]);

/**
 * Reads a body through its content encodings, at most `maxBytes` on the wire and at most as many decoded; more throws
 * a FetchFailure as soon as it shows, so a bomb costs no more than that. The body is destroyed on every failure.
 */
export async function readDecoded(body: Readable, contentEncoding: string, maxBytes: number): Promise<Uint8Array> {
  const layers = layersOf(contentEncoding);
  const chunks: Uint8Array[] = [];
  // Counted on the wire too: empty compressed blocks could otherwise go on without ever yielding a byte.
  const stages = [
    body,
    limitSize(maxBytes),
    ...layers.flatMap((createDecoder) => [createDecoder(), limitSize(maxBytes)]),
    async (decoded: AsyncIterable<Uint8Array>) => {
      for await (const chunk of decoded) chunks.push(chunk);
    },
  ];
  // A pipeline of many stages is typed for streams alone, but takes generators too.
  await pipeline(stages as unknown as NodeJS.ReadWriteStream[]);
  return Buffer.concat(chunks);
}

/** The decoders of a `Content-Encoding`, outermost first. */
function layersOf(contentEncoding: string): (() => Transform)[] {
  const names = contentEncoding
    .toLowerCase()
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && name !== "identity");
  if (names.length > maxLayers) throw new FetchFailure("answers in too many content encodings");
  return names.reverse().map((name) => {
    const createDecoder = decoders.get(name);
    if (createDecoder === undefined) throw new FetchFailure("answers in a content encoding that is not known");
    return createDecoder;
  });
}

function limitSize(maxBytes: number) {
  return async function* (chunks: AsyncIterable<Uint8Array>) {
    let length = 0;
    for await (const chunk of chunks) {
      length += chunk.byteLength;
      if (length > maxBytes) throw new FetchFailure(`answers with more than ${maxBytes} bytes`);
      yield chunk;
    }
  };
}
