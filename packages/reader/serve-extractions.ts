import { parentPort } from "node:worker_threads";
import type { ExtractionAnswer, ExtractionJob } from "./extraction-pool.ts";

/**
 * Turns this worker thread into one that serves extractions for `ExtractionPool`, one after the other. Call it at the
 * top of the worker's entry; where the deployed bundle is its own worker, behind `if (!isMainThread)`.
 */
export function serveExtractions(): void {
  const port = parentPort;
  if (port === null) throw new Error("serveExtractions is for worker threads");
  port.on("message", async (job: ExtractionJob) => {
    let answer: ExtractionAnswer;
    try {
      // Loaded here so that the main thread of a bundle never evaluates the parsers.
      const { runExtraction } = await import("./run-extraction.ts");
      answer = { view: await runExtraction(job) };
    } catch (error) {
      answer = { failure: error instanceof Error ? error.message : "unknown" };
    }
    port.postMessage(answer);
  });
}
