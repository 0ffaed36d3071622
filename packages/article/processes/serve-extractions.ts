// SPDX-License-Identifier: MIT

import { type RunJob, serveJobs } from "./serve-jobs.ts";

/** Only the worker imports this, so that the pool's process does not evaluate the parsers of a bundle. */
const loadParsers = async (): Promise<RunJob> => (await import("./run-job.ts")).runJob;

/**
 * Makes this process serve extractions. Call it at the top of the worker's entry. A bundle that is its own worker calls it
 * if `isWorker` is true.
 */
export const serveExtractions = (): Promise<void> => serveJobs(loadParsers);
