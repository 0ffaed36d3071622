// SPDX-License-Identifier: MIT

import { Worker } from "node:worker_threads";
import { deadlineSignal } from "@reading-list/core/call-scope.ts";
import { ServiceError } from "@reading-list/core/errors.ts";
import { FairQueue } from "@reading-list/core/fair-queue.ts";
import type { CopiedIndex } from "@reading-list/core/ports/search.ts";
import { type EvaluationLimits, Evaluators, idleMs } from "./evaluators.ts";
import { type Answer, beingMadeAnew, indexesBy, type Request, type Run } from "./operations.ts";

/** Maximum of calls that wait for the thread. Most take less than 30 ms. */
const maxWaiting = 200;

/**
 * The indexes in a folder, a file for each user, in a separate thread, which starts with the first call, and ends after a
 * minute without one: with its open files it takes 15 to 100 MB.
 */
export function createSearchIndex(folder: string, limits?: EvaluationLimits): CopiedIndex & { close(): Promise<void> } {
  const evaluators = new Evaluators(limits);
  let thread: Worker | undefined;
  let rest: NodeJS.Timeout | undefined;
  let lastId = 0;
  const waiting = new Map<number, { resolve: (value: never) => void; reject: (error: unknown) => void }>();
  // Users take turns, so that the first index of a long list delays nobody's search.
  const queue = new FairQueue({ atOnce: 1, waiting: maxWaiting });

  const failAll = (error: unknown) => {
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
    thread = undefined;
  };
  const end = async () => {
    const ended = thread;
    thread = undefined;
    await ended?.terminate();
  };
  const begin = () => {
    const begun = new Worker(new URL("./index-thread.ts", import.meta.url), { workerData: folder });
    begun.unref();
    begun.on("message", ({ id, result, error }: Answer) => {
      const call = waiting.get(id);
      waiting.delete(id);
      if (!error) call?.resolve(result as never);
      else if (error.isDamaged) call?.reject(beingMadeAnew());
      else call?.reject(Object.assign(new Error("the search index failed"), { stack: error.stack }));
    });
    begun.on("error", failAll);
    return begun;
  };

  const run: Run = async (name, ...args) => {
    const patience = deadlineSignal() ?? AbortSignal.timeout(60_000);
    const leave = await queue.enter(String(args[0]), patience).catch(() => {
      throw new ServiceError("busy", "search: too many searches are waiting; try again", { retryAfter: 1 });
    });
    clearTimeout(rest);
    try {
      return await new Promise((resolve, reject) => {
        const id = ++lastId;
        waiting.set(id, { resolve, reject });
        thread ??= begin();
        thread.postMessage({ id, name, args } satisfies Request);
      });
    } finally {
      rest = setTimeout(end, idleMs).unref();
      leave();
    }
  };

  return {
    ...indexesBy(run, folder, evaluators),
    close: async () => {
      await Promise.all([end(), evaluators.close()]);
      failAll(new ServiceError("unavailable", "the service is stopping; try again", { retryAfter: 1 }));
    },
  };
}
