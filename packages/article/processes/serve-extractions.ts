// SPDX-License-Identifier: MIT

import { Worker } from "node:worker_threads";
import { FetchError } from "../fetch/fetch-error.ts";
import { type SentJob, type WorkerMessage, workerArgument } from "./extraction-pool.ts";

/** True in a process that an `ExtractionPool` has started. */
export const isExtractionWorker = process.argv[2] === workerArgument;

/** Bytes of memory in all: buffers, such as those of the streams of a PDF, are outside of the heap. */
const maxMemory = 512_000_000;
/** Milliseconds after which a job hangs, for example on a promise that nothing settles. */
const maxMs = 120_000;

/**
 * Ends the process if a job uses more processor time or memory than it may, or hangs. It runs in a thread, because a parser
 * does not return to the event loop. Messages: the milliseconds of processor time at the start of a job, 0 at its end.
 */
const watchdog = `
  const { parentPort } = require("node:worker_threads");
  let check;
  parentPort.on("message", (processorMs) => {
    clearInterval(check);
    if (processorMs === 0) return;
    const [usedAtStart, start] = [process.cpuUsage(), performance.now()];
    check = setInterval(() => {
      const { user, system } = process.cpuUsage(usedAtStart);
      const isSpent = (user + system) / 1000 > processorMs || performance.now() - start > ${maxMs};
      if (isSpent || process.memoryUsage.rss() > ${maxMemory}) process.kill(process.pid, "SIGKILL");
    }, 100);
  });
`;

/**
 * Makes this process serve extractions for `ExtractionPool`, one after the other, until the pool's process has ended. Call
 * it at the top of the worker's entry. A bundle that is its own worker calls it if `isExtractionWorker` is true.
 */
export async function serveExtractions(): Promise<void> {
  const send = (message: WorkerMessage) => process.send?.(message);
  // A terminal sends its signals to this process, too; the pool's process may still need it to finish its calls.
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => {});
  const watch = new Worker(watchdog, { eval: true });
  watch.unref();
  // Imported here so that the pool's process does not evaluate the parsers of a bundle.
  const { runJob } = await import("./run-job.ts");
  process.on("message", async (job: SentJob) => {
    watch.postMessage(job.processorMs);
    try {
      send({ result: await runJob(job) });
    } catch (error) {
      if (error instanceof FetchError) send({ refusal: error.message });
      else send({ failure: error instanceof Error ? error.message : "unknown" });
    } finally {
      watch.postMessage(0);
    }
  });
  send("ready");
}
