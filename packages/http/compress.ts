// SPDX-License-Identifier: MIT

import { once } from "node:events";
import { brotliCompressSync, constants, createBrotliCompress, createGzip, gzipSync } from "node:zlib";
import { yieldIfLong } from "@reading-list/core/domain/turns.ts";
import { ServiceError } from "@reading-list/core/errors.ts";
import { LRUCache } from "lru-cache";
import Negotiator from "negotiator";
import type { ChainLink } from "./call.ts";

/**
 * Bytes of an answer, wherever the service runs (docs/api.md 4.4): Lambda's limit is 6 MB of JSON, and 10,000 bytes of it
 * are left for the envelope.
 */
export const payloadLimit = 6 * 1024 * 1024 - 10_000;

/** Bytes of a body in an answer as JSON, which has bytes as base64. */
export const measurePayload = (body: string | Buffer) =>
  typeof body === "string" ? body.length : 4 * Math.ceil(body.length / 3);

/** Brotli's default quality is 11: for a list of 1,000 items it takes 60 times as long, and saves a third more bytes. */
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 20 } };

const compressors = {
  br: {
    sync: (text: string) => brotliCompressSync(text, brotliOptions),
    stream: () => createBrotliCompress(brotliOptions),
  },
  gzip: { sync: (text: string) => gzipSync(text), stream: () => createGzip() },
};
type Compressor = (typeof compressors)[keyof typeof compressors];

const encodings = [...Object.keys(compressors), "identity"];

/** Characters from which on a body is compressed: less than one network packet is not worth the time. */
const minCompressedLength = 1000;

/** Characters up to which a body is compressed in 1 ms, without a wait for the threads that also hash passwords. */
const shortLength = 50_000;

/**
 * Maximum bytes of a UTF-16 code unit in JSON, the length of an escape. A text that is short by this bound is not
 * measured.
 */
const maxBytesPerUnit = 6;

/** Bytes of the shortest entry of a list that is not compressed. */
const shortestEntry = 100;

/** Clients send few different values, and parsing one takes longer than a poll's JSON. */
const chosen = new LRUCache<string, string>({ max: 100 });

function chooseEncoding(accepted = ""): string {
  const known = chosen.get(accepted);
  if (known !== undefined) return known;
  const headers = { "accept-encoding": accepted };
  const encoding = new Negotiator({ headers }).encoding(encodings) ?? "identity";
  chosen.set(accepted, encoding);
  return encoding;
}

/**
 * Compresses the body of an answer in the encoding that the client prefers of br, gzip and none; a body in parts while
 * they are read. The call ends with `tooLarge` as soon as the body exceeds the platform's limit.
 */
export const compress = (tooLarge: string): ChainLink => ({
  after: async ({ event: { request }, response }) => {
    if (!response || typeof response.body !== "string") return;
    const { parts = [response.body], entries = 0 } = response;
    response.parts = undefined;
    response.entries = undefined;
    const encoding = chooseEncoding(request.headers["accept-encoding"]);
    const compressor: Compressor | undefined = compressors[encoding as keyof typeof compressors];
    if (!compressor && entries * shortestEntry > payloadLimit)
      throw new ServiceError("invalid", tooLarge, { code: "answer_too_large" });
    const body = await join(parts, compressor, tooLarge);
    if (body.length >= minCompressedLength || typeof body !== "string") response.headers.Vary = "Accept-Encoding";
    const compressed =
      typeof body === "string" && compressor && body.length >= minCompressedLength ? compressor.sync(body) : body;
    response.body = compressed;
    if (typeof compressed !== "string") response.headers["Content-Encoding"] = encoding;
  },
});

/**
 * Bytes of a text within JSON, whose control characters are only line breaks and tabs. `JSON.stringify` takes ten times as
 * long, and `Buffer.byteLength` does for a text that was joined of many.
 */
export function measureInJson(text: string): number {
  let bytes = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) bytes += unit === quotationMark || unit === backslash || unit < firstPrintable ? 2 : 1;
    // Two units are one character of 4 bytes.
    else bytes += unit < 0x800 || isSurrogate(unit) ? 2 : 3;
  }
  return bytes;
}

const [quotationMark, backslash, firstPrintable] = [0x22, 0x5c, 0x20];
const isSurrogate = (unit: number) => unit >= 0xd800 && unit < 0xe000;

/** The parts as one body: a text that is not compressed or short, or the compressed bytes. Throws `tooLarge`. */
async function join(
  parts: AsyncIterable<string> | Iterable<string>,
  compressor: Compressor | undefined,
  tooLarge: string,
): Promise<string | Buffer> {
  const limit = (bytes: number) => {
    if (bytes > payloadLimit) throw new ServiceError("invalid", tooLarge, { code: "answer_too_large" });
  };
  let text = "";
  let bytes = 0;
  let stream: ReturnType<Compressor["stream"]> | undefined;
  const chunks: Buffer[] = [];
  try {
    for await (const part of parts) {
      text += part;
      if (!compressor) {
        if (text.length * maxBytesPerUnit <= payloadLimit) continue;
        bytes += measureInJson(bytes === 0 ? text : part);
        limit(bytes);
        await yieldIfLong();
      } else if (stream || text.length > shortLength) {
        stream ??= compressor.stream().on("data", (chunk: Buffer) => {
          chunks.push(chunk);
          bytes += chunk.length;
        });
        if (!stream.write(text)) await once(stream, "drain");
        limit((bytes / 3) * 4);
        text = "";
      }
    }
    if (!stream) return text;
    stream.end(text);
    await once(stream, "end");
    limit((bytes / 3) * 4);
    return Buffer.concat(chunks);
  } finally {
    stream?.destroy();
  }
}
