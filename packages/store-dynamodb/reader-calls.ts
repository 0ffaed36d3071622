// SPDX-License-Identifier: MIT

import { promisify } from "node:util";
import { brotliCompress, brotliDecompress, constants } from "node:zlib";
import type { ErrorCode, ErrorKind } from "@reading-list/core/errors.ts";
import type { PageReader } from "@reading-list/core/ports.ts";

/** A call of a page reader in another function: a method and its arguments. */
export type ReaderCall = {
  [Name in keyof PageReader]: [method: Name, ...args: Parameters<PageReader[Name]>];
}[keyof PageReader];

/** The result of a call, a book as base64, or the error to throw. */
export type ReaderAnswer =
  | { value: unknown }
  | { error: { kind: ErrorKind; message: string; code?: ErrorCode; retryAfter?: number } };

/** A value in an event or an answer of Lambda, which have 6 MB each: 4 MB of HTML as JSON may be longer. */
export interface Packed {
  packed: string;
}

const [compress, decompress] = [promisify(brotliCompress), promisify(brotliDecompress)];
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
/** Bytes of a value: more than the longest articles of a book. */
const maxLength = 100_000_000;

/** Compresses a value. */
export const pack = async (value: ReaderCall | ReaderAnswer): Promise<Packed> => ({
  packed: (await compress(JSON.stringify(value), brotliOptions)).toString("base64"),
});

/** Decompresses a value. Throws if it is damaged or exceeds 100 MB. */
export const unpack = async <Value extends ReaderCall | ReaderAnswer>({ packed }: Packed): Promise<Value> =>
  JSON.parse(String(await decompress(Buffer.from(packed, "base64"), { maxOutputLength: maxLength })));
