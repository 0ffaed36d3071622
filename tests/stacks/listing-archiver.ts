// SPDX-License-Identifier: MIT

import { statSync } from "node:fs";
import type { Writable } from "node:stream";
import type { PackagedFile } from "./evaluate.ts";

/** Replaces the package `archiver` in SST's platform: writes the list of files instead of a zip file. */
export default function createListingArchiver() {
  const files: PackagedFile[] = [];
  let target: Writable | undefined;
  return {
    on: () => {},
    pipe: (stream: Writable) => {
      target = stream;
    },
    file: (from: string, { name }: { name: string }) => {
      // SST adds folders as well as each file in them.
      if (statSync(from).isFile()) files.push({ from, to: name });
    },
    finalize: async () => {
      target?.end(JSON.stringify(files));
    },
  };
}
