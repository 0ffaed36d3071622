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

const zstdOptions = {
  finishFlush: constants.ZSTD_e_flush,
  params: { [constants.ZSTD_d_windowLogMax]: zstdWindowLog },
};

type Decoder = Transform | typeof decodeZstdFrames;

const decoders = new Map<string, () => Decoder>([
  ["gzip", () => createGunzip(lenientZlib)],
  ["x-gzip", () => createGunzip(lenientZlib)],
  ["deflate", () => createInflate(lenientZlib)],
  ["br", () => createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH })],
  ["zstd", () => decodeZstdFrames],
]);

/** A body may be several frames one after the other; Node decodes the first. */
async function* decodeZstdFrames(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  // Held whole, within the limit on the wire: how far a frame reached is told for a single write.
  const held: Uint8Array[] = [];
  for await (const chunk of chunks) held.push(chunk);
  let rest = Buffer.concat(held);
  while (rest.length > 0) {
    const frame = createZstdDecompress(zstdOptions);
    frame.end(rest);
    yield* frame;
    if (frame.bytesWritten === 0) return;
    rest = rest.subarray(frame.bytesWritten);
  }
}

/**
 * Reads a body through its content encodings, at most `maxBytes` on the wire and at most as many decoded; more throws
 * a FetchFailure as soon as it shows, so a bomb costs no more than that. The body is destroyed on every failure.
 */
export async function readDecoded(body: Readable, contentEncoding: string, maxBytes: number): Promise<Uint8Array> {
  const layers = layersOf(contentEncoding);
  const chunks: Uint8Array[] = [];
  // Counted on the wire too: empty compressed blocks could otherwise go on without ever yielding a byte.
  const stages = [
    () => whatCame(body),
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

/** The decoders of a `Content-Encoding`, outermost first. What it names besides (`none`, `utf-8`) is passed over. */
function layersOf(contentEncoding: string): (() => Decoder)[] {
  const layers = contentEncoding
    .toLowerCase()
    .split(",")
    .flatMap((name) => decoders.get(name.trim()) ?? []);
  if (layers.length > maxLayers) throw new FetchFailure("answers in too many content encodings");
  return layers.reverse();
}

/** The body up to where its server broke it off; nothing at all is a failure. */
async function* whatCame(body: Readable): AsyncGenerator<Uint8Array> {
  let hasCome = false;
  try {
    for await (const chunk of body) {
      hasCome = true;
      yield chunk;
    }
  } catch (error) {
    if (!hasCome || !brokenOff.includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}

const brokenOff = ["UND_ERR_SOCKET", "ECONNRESET", "UND_ERR_RES_CONTENT_LENGTH_MISMATCH"];

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
