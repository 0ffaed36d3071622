// SPDX-License-Identifier: MIT

import { promisify } from "node:util";
import { brotliCompress, gzip } from "node:zlib";
import type { Handler, HttpAnswer, HttpRequest } from "@reading-list/http/call.ts";
import Negotiator from "negotiator";
import { getAndHead, sameOriginOnly } from "./gateway.ts";

/** A file that the local service serves beside the API. */
export interface StaticFile {
  contentType: string;
  cacheControl: string;
  securityPolicy: string;
  content: Buffer;
  /** The same buffer for each request, so that it is compressed once. */
  isStable: boolean;
}

const compressors = { br: promisify<Buffer, Buffer>(brotliCompress), gzip: promisify<Buffer, Buffer>(gzip) };

/** The smallest result first. */
const encodings = ["br", "gzip"] as const;

const compressed = new WeakMap<Buffer, Map<string, Promise<Buffer>>>();

/** Images are compressed already; a file of one network packet is not worth the time. */
const isCompressible = ({ contentType, content, isStable }: StaticFile) =>
  isStable && content.length > 1000 && /^text|javascript|json|svg/.test(contentType);

/** The response with a file, compressed if the client accepts that. */
export async function answerFile(file: StaticFile, request: Pick<HttpRequest, "headers">): Promise<HttpAnswer> {
  const accepted = new Negotiator(request).encodings(encodings);
  const encoding = isCompressible(file) ? encodings.find((each) => accepted.includes(each)) : undefined;
  const content = encoding ? await compress(file.content, encoding) : file.content;
  return {
    status: 200,
    headers: {
      "Content-Type": file.contentType,
      "Cache-Control": file.cacheControl,
      "Content-Security-Policy": file.securityPolicy,
      "X-Content-Type-Options": "nosniff",
      "Referrer-Policy": "same-origin",
      Vary: "Accept-Encoding",
      ...(encoding && { "Content-Encoding": encoding }),
      // `config.json` has an API key, with which another page could lock the user out.
      ...sameOriginOnly,
    },
    body: content,
  };
}

/** A permanent redirect to an address of the same host. */
export const redirectTo = async (location: string): Promise<HttpAnswer> => ({
  status: 308,
  headers: { Location: location },
  body: "",
});

/**
 * The routes of `/`, which lead to the start page. The redirect is temporary: a browser that remembered it would never see
 * another start page.
 */
export const startAt = (location: string): [string, Handler][] =>
  getAndHead("/", async () => ({ status: 302, headers: { Location: location }, body: "" }));

function compress(content: Buffer, encoding: keyof typeof compressors): Promise<Buffer> {
  const known = compressed.get(content) ?? new Map<string, Promise<Buffer>>();
  compressed.set(content, known);
  const result = known.get(encoding) ?? compressors[encoding](content);
  known.set(encoding, result);
  return result;
}
