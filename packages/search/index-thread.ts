// SPDX-License-Identifier: MIT

import { parentPort, workerData } from "node:worker_threads";
import { createIndexFolder, DamagedIndexError } from "./index-folder.ts";
import type { Answer, Request } from "./operations.ts";

/** The thread that has the files of the indexes, so that no part of a search runs in the service's event loop. */

const operations = createIndexFolder(workerData as string);

parentPort?.on("message", ({ id, name, args }: Request) => {
  let answer: Answer;
  try {
    const result = (operations[name] as (...args: unknown[]) => unknown)(...args);
    answer = { id, result };
  } catch (error) {
    answer = { id, error: { isDamaged: error instanceof DamagedIndexError, stack: String((error as Error).stack) } };
  }
  parentPort?.postMessage(answer);
});
