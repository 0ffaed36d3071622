// SPDX-License-Identifier: MIT

import { Zip, ZipDeflate } from "fflate";

/** A zip whose files are pushed one after the other, and the chunks that are written. */
export function startZip() {
  const chunks: Uint8Array[] = [];
  const zip = new Zip((error, chunk) => {
    if (error) throw error;
    chunks.push(chunk);
  });
  const begin = (name: string) => {
    const file = new ZipDeflate(name);
    zip.add(file);
    return file;
  };
  return { begin, chunks, zip };
}
