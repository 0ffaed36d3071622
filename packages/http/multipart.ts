// SPDX-License-Identifier: MIT

import { nextTurn } from "@reading-list/core/domain/turns.ts";

/** Maximum number of parameters of a call, and of parts of a multipart body; clients send about ten. */
export const maxParameters = 1000;

/** A part of a multipart body, as raw bytes: clients label UTF-8 text with wrong charsets. */
export interface Part {
  name: string;
  isFile: boolean;
  data: Buffer;
  /** Its header `Location`: the URL of a file. */
  location: string | undefined;
}

/** Bytes of a body that are parsed at once, because after a refusal the parser continues to their end. */
const pieceBytes = 16_384;

/** The headers `Location` of the parts of a multipart body, in order, because the parser does not return them. */
function locationsIn(body: Buffer, contentType: string): (string | undefined)[] {
  const [, quoted, plain = ""] = /boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType) ?? [];
  const delimiter = `--${quoted ?? plain}\r\n`;
  const locations: (string | undefined)[] = [];
  for (let at = body.indexOf(delimiter); at >= 0 && locations.length < maxParameters; ) {
    const start = at + delimiter.length;
    const end = body.indexOf("\r\n\r\n", start);
    if (end < 0) break;
    const head = body.toString("latin1", start, Math.min(end, start + maxHeadBytes));
    locations.push(/^location:[ \t]*(\S+)/im.exec(head)?.[1]);
    at = body.indexOf(delimiter, end);
  }
  return locations;
}

/** Bytes of the headers of a part that are read. */
const maxHeadBytes = 8192;

/** Bytes that are parsed in one turn of the event loop: some 10 ms. */
const bytesOfTurn = 64 * pieceBytes;

/** The parts of a multipart body; undefined if it is not valid, or has more than `maxParameters` parts. */
export async function readParts(body: Buffer, contentType: string): Promise<Part[] | undefined> {
  const { Busboy } = await import("@fastify/busboy");
  const { promise, resolve } = Promise.withResolvers<Part[] | undefined>();
  const parts: Part[] = [];
  let isRefused = false;
  const refuse = () => {
    isRefused = true;
    resolve(undefined);
  };
  try {
    const locations = locationsIn(body, contentType);
    const headers = { "content-type": contentType };
    // As a file, because the parser cuts the value of a field to 1 MB, and decodes it.
    const parser = new Busboy({ headers, isPartAFile: () => true, limits: { parts: maxParameters } });
    parser.on("file", (name, part, filename: string | undefined, _encoding, partType) => {
      const isFile = filename !== undefined || partType === "application/octet-stream";
      const location = locations.shift();
      const chunks: Buffer[] = [];
      part.on("data", (chunk: Buffer) => chunks.push(chunk));
      part.on("error", refuse);
      part.on("end", () => parts.push({ name, isFile, data: Buffer.concat(chunks), location }));
    });
    parser.on("partsLimit", refuse);
    parser.on("finish", () => resolve(parts));
    parser.on("error", refuse);
    for (let start = 0; start < body.length && !isRefused; start += pieceBytes) {
      if (start > 0 && start % bytesOfTurn === 0) await nextTurn();
      parser.write(body.subarray(start, start + pieceBytes));
    }
    if (!isRefused) parser.end();
  } catch {
    refuse();
  }
  return promise;
}
