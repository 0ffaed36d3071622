// SPDX-License-Identifier: MIT

import { Busboy } from "@fastify/busboy";

/** Maximum number of parameters of a call, and of parts of a multipart body; clients send about ten. */
export const maxParameters = 1000;

/** A part of a multipart body, as raw bytes: clients label UTF-8 text with wrong charsets. */
export interface Part {
  name: string;
  isFile: boolean;
  data: Buffer;
}

/** Bytes of a body that are parsed at once: after a refusal the parser would go on to the end of them. */
const pieceBytes = 16_384;

/** The parts of a multipart body; undefined if it is not valid, or has more than `maxParameters` parts. */
export function readParts(body: Buffer, contentType: string): Promise<Part[] | undefined> {
  return new Promise((resolve) => {
    const parts: Part[] = [];
    let isRefused = false;
    const refuse = () => {
      isRefused = true;
      resolve(undefined);
    };
    try {
      const headers = { "content-type": contentType };
      // As a file, because the parser cuts the value of a field to 1 MB, and decodes it.
      const parser = new Busboy({ headers, isPartAFile: () => true, limits: { parts: maxParameters } });
      parser.on("file", (name, part, filename: string | undefined, _encoding, partType) => {
        const isFile = filename !== undefined || partType === "application/octet-stream";
        const chunks: Buffer[] = [];
        part.on("data", (chunk: Buffer) => chunks.push(chunk));
        part.on("error", refuse);
        part.on("end", () => parts.push({ name, isFile, data: Buffer.concat(chunks) }));
      });
      parser.on("partsLimit", refuse);
      parser.on("finish", () => resolve(parts));
      parser.on("error", refuse);
      for (let start = 0; start < body.length && !isRefused; start += pieceBytes) {
        parser.write(body.subarray(start, start + pieceBytes));
      }
      if (!isRefused) parser.end();
    } catch {
      refuse();
    }
  });
}
