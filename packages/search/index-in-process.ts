// SPDX-License-Identifier: MIT

import type { CopiedIndex } from "@reading-list/core/ports/search.ts";
import { Evaluators } from "./evaluators.ts";
import { createIndexFolder, DamagedIndexError } from "./index-folder.ts";
import { beingMadeAnew, indexesBy, type Run } from "./operations.ts";

/** The indexes in a folder, in this thread, and searches in another process: for a process that serves one call at a time. */
export function createIndexInProcess(folder: string): CopiedIndex {
  const operations = createIndexFolder(folder);
  const run: Run = async (name, ...args) => {
    try {
      return (operations[name] as (...args: unknown[]) => never)(...args);
    } catch (error) {
      throw error instanceof DamagedIndexError ? beingMadeAnew() : error;
    }
  };
  return indexesBy(run, folder, new Evaluators());
}
