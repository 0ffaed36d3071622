// SPDX-License-Identifier: MIT

import { ServiceError } from "@reading-list/core/errors.ts";
import { untilAborted } from "../deadline.ts";
import { FetchError } from "../fetch/fetch-error.ts";
import { type ExtractionPool, type Job, type Results, type RunOptions, workerFailed } from "./extraction-pool.ts";

/** How long a job waits for a worker, and in which turn. */
export type Wait = Omit<RunOptions, "processorMs">;

/**
 * The result of a job of pages. Throws `busy` if no worker was free in time, `tooComplex` if the job costs too much,
 * `unavailable` if the worker or a parser fails, and FetchError if the page cannot be decoded.
 */
export async function runPageJob<Work extends Job>(
  pool: ExtractionPool,
  job: Work,
  options: RunOptions,
): Promise<Results[Work["work"]]> {
  const outcome = await pool.run(job, options);
  if (outcome.kind === "busy") throw tooManyPages();
  if (outcome.kind === "refused") throw new FetchError(outcome.reason);
  if (outcome.kind === "crashed") throw workerFailed(outcome);
  if (outcome.kind === "exceeded") throw job.work === "views" ? tooExpensive() : tooLongBook();
  return outcome.result;
}

/** The result of an extraction. If the deadline expires first, the error says whether a worker had begun. */
export function beforeAbort<T>(wait: Wait, work: (wait: Wait) => Promise<T>): Promise<T> {
  let hasBegun = false;
  const onBegin = () => {
    hasBegun = true;
  };
  return untilAborted(work({ ...wait, onBegin }), wait.signal).catch((error) => {
    if (!wait.signal.aborted) throw error;
    throw hasBegun ? tooExpensive() : tooManyPages();
  });
}

export const tooManyPages = () =>
  new ServiceError("busy", "too many pages are being read at once; try again", { retryAfter: 2 });

const tooExpensive = () =>
  new ServiceError(
    "tooComplex",
    "the text could not be extracted in time: the page is large or complex; try again later",
    { retryAfter: 60 },
  );

const tooLongBook = () =>
  new ServiceError("tooComplex", "article: the book is too long; ask for fewer pages", { retryAfter: 60 });
