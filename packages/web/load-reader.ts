// SPDX-License-Identifier: MIT

import { existsSync, globSync, readFileSync } from "node:fs";
import path from "node:path";
import { builtFolder, pageFile, type ReaderFile, readerFile } from "./reader-files.ts";

/**
 * All files of the web reader except `config.json`: the files of the release, or otherwise files built in memory, in
 * about 100 ms.
 */
export async function loadReader(): Promise<ReaderFile[]> {
  const folder = path.join(import.meta.dirname, builtFolder);
  if (!existsSync(folder)) return (await import("./build.ts")).buildReader();
  return globSync("*", { cwd: folder }).map((name) =>
    readerFile(name === pageFile ? "" : name, readFileSync(path.join(folder, name))),
  );
}
