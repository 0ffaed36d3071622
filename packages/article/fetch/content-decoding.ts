// SPDX-License-Identifier: MIT

import type { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from "node:zlib";
import { FetchError } from "./fetch-error.ts";

/** The reader's `Accept-Encoding`. Without `deflate`, because servers disagree on what it means. */
export const acceptedEncodings = "gzip, br, zstd";

const maxLayers = 3;
/** RFC 9659: a zstd window of the web is at most 8 MB. */
const zstdWindowLog = 23;

// Decodes the received part of a truncated body, as browsers do.
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

/** Decodes all frames of a body. Node's decoder stops after the first. */
async function* decodeZstdFrames(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  // Buffered as a whole (at most `maxBytes`), because `bytesWritten` gives the end of a frame only after a single
  // write.
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

/** Bytes of a body, and what it waits for before it has more than `waitAt` of them. */
export interface BodyLimits {
  maxBytes: number;
  waitAt?: number;
  wait?: () => Promise<void>;
}

/**
 * Reads a body and removes its content encodings. Throws FetchError as soon as the body exceeds `maxBytes` as sent or
 * after any encoding, which limits the cost of a decompression bomb. The body is destroyed on every failure.
 *
 * Some servers send invalid names (`none`, `utf-8`), which browsers ignore. So an unknown name is an error only if the
 * body is not text.
 */
export async function readDecoded(
  body: Readable,
  contentEncoding: string,
  { maxBytes, waitAt = maxBytes, wait }: BodyLimits,
): Promise<Uint8Array> {
  const { layers, hasUnknown } = parseLayers(contentEncoding);
  const chunks: Uint8Array[] = [];
  // The bytes as sent are limited too: empty compressed blocks produce no output and could continue forever.
  const stages = [
    () => receivedPart(body),
    limitSize(maxBytes),
    ...layers.flatMap((createDecoder) => [createDecoder(), limitSize(maxBytes)]),
    async (decoded: AsyncIterable<Uint8Array>) => {
      let length = 0;
      for await (const chunk of decoded) {
        const isLarge = length > waitAt;
        length += chunk.byteLength;
        if (!isLarge && length > waitAt) await wait?.();
        chunks.push(chunk);
      }
    },
  ];
  // The type of `pipeline` with an array allows only streams; at run time it accepts generators too.
  await pipeline(stages as unknown as NodeJS.ReadWriteStream[]);
  const decoded = Buffer.concat(chunks);
  if (hasUnknown && decoded.some(isBinaryByte)) {
    throw new FetchError(`was sent in a content encoding other than ${acceptedEncodings}`);
  }
  return decoded;
}

/** The decoders of a `Content-Encoding`, outermost first, and whether it has names without a decoder. */
function parseLayers(contentEncoding: string): { layers: (() => Decoder)[]; hasUnknown: boolean } {
  const names = contentEncoding
    .toLowerCase()
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && name !== "identity");
  const layers = names.flatMap((name) => decoders.get(name) ?? []);
  if (layers.length > maxLayers) throw new FetchError("was sent in too many content encodings");
  return { layers: layers.reverse(), hasUnknown: layers.length < names.length };
}

/** A "binary data byte" of the MIME Sniffing Standard: a control character that text does not hold. */
const isBinaryByte = (byte: number) =>
  byte <= 0x08 || byte === 0x0b || (byte >= 0x0e && byte <= 0x1a) || (byte >= 0x1c && byte <= 0x1f);

/** The body up to the point where its server closed the connection. An empty body is an error. */
async function* receivedPart(body: Readable): AsyncGenerator<Uint8Array> {
  let hasData = false;
  try {
    for await (const chunk of body) {
      hasData = true;
      yield chunk;
    }
  } catch (error) {
    if (!hasData || !brokenOff.includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}

const brokenOff = ["UND_ERR_SOCKET", "ECONNRESET", "UND_ERR_RES_CONTENT_LENGTH_MISMATCH"];

function limitSize(maxBytes: number) {
  return async function* (chunks: AsyncIterable<Uint8Array>) {
    let length = 0;
    for await (const chunk of chunks) {
      length += chunk.byteLength;
      if (length > maxBytes) throw tooLarge(maxBytes);
      yield chunk;
    }
  };
}

export const tooLarge = (maxBytes: number) => new FetchError(`is larger than ${maxBytes} bytes`);
