// SPDX-License-Identifier: MIT

import { isExtractionWorker, serveExtractions } from "@reading-list/article/processes/serve-extractions.ts";
import type { PageReader } from "@reading-list/core/ports.ts";
import { asServiceError } from "@reading-list/http/errors.ts";
import { logFailure } from "@reading-list/http/watch/call-log.ts";
import {
  type Packed,
  pack,
  type ReaderAnswer,
  type ReaderCall,
  unpack,
} from "@reading-list/store-dynamodb/reader-calls.ts";
import { liveSettings } from "../compose/live.ts";
import { composeReader } from "../compose/live-reader.ts";

/** Reads pages for the functions that have rights on users' records, so that hostile pages are parsed without any. */
const serveReader = (reader: PageReader) => async (event: Packed) => pack(await answer(reader, await unpack(event)));

async function answer(reader: PageReader, [method, ...args]: ReaderCall): Promise<ReaderAnswer> {
  try {
    const value = await (reader[method] as (...args: unknown[]) => Promise<unknown>)(...args);
    return { value: value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value };
  } catch (thrown) {
    const error = asServiceError(thrown);
    if (error !== thrown) logFailure("extraction", error, liveSettings.metricNamespace);
    const { kind, message, code, retryAfter } = error;
    return { error: { kind, message, code, ...(retryAfter !== undefined && { retryAfter }) } };
  }
}

export const handler = isExtractionWorker ? serveExtractions() : serveReader(composeReader());
