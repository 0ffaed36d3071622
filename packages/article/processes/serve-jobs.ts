// SPDX-License-Identifier: MIT

import { Worker } from "node:worker_threads";
import { FetchError } from "../fetch/fetch-error.ts";
import type { Job, Results, SentJob, WorkerMessage } from "./extraction-pool.ts";

/** Bytes of all memory, because buffers, such as the streams of a PDF, are outside the heap. */
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

/** Does a job in a worker process. Throws FetchError if the content cannot be decoded. */
export type RunJob = (job: Job) => Promise<Results[Job["work"]]> | Results[Job["work"]];

/** Makes this process do jobs for `ExtractionPool`, one after the other, until the pool's process has ended. */
export async function serveJobs(load: () => Promise<RunJob>): Promise<void> {
  const send = (message: WorkerMessage) => process.send?.(message);
  // A terminal sends its signals to this process, too; the pool's process may still need it to finish its calls.
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => {});
  const watch = new Worker(watchdog, { eval: true });
  watch.unref();
  const runJob = await load();
  // A page can cause errors outside of its job: they end the worker as a costly page does, not as a fault of the service.
  process.on("uncaughtException", () => process.kill(process.pid, "SIGKILL"));
  process.on("message", async (job: SentJob) => {
    watch.postMessage(job.processorMs);
    try {
      send({ result: await runJob(job) });
    } catch (error) {
      if (error instanceof FetchError) send({ refusal: error.message });
      // The stack, a string or a buffer would be too long: that is the page's size, any other error is a bug.
      else send({ failure: error instanceof Error ? error.name : "unknown", isCostly: error instanceof RangeError });
    } finally {
      watch.postMessage(0);
    }
  });
  send("ready");
}
