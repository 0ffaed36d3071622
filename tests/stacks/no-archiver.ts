// SPDX-License-Identifier: MIT

import type { Writable } from "node:stream";

/** Replaces the package `archiver` in SST's platform: nobody reads the zip files of an evaluation (bundles/sst-builder.ts). */
export default function createNoArchiver() {
  let target: Writable | undefined;
  return {
    on: () => {},
    pipe: (stream: Writable) => {
      target = stream;
    },
    file: () => {},
    finalize: async () => {
      target?.end();
    },
  };
}
