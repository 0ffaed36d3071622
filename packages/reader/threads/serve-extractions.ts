import { parentPort } from "node:worker_threads";
import type { ExtractionAnswer, ExtractionJob } from "./extraction-pool.ts";

/**
 * Makes this worker thread serve extractions for `ExtractionPool`, one after the other. Call it at the top of the worker's
 * entry. A bundle that is its own worker calls it if `isMainThread` is false.
 */
export function serveExtractions(): void {
  const port = parentPort;
  if (port === null) throw new Error("serveExtractions is for worker threads");
  port.on("message", async (job: ExtractionJob) => {
    let answer: ExtractionAnswer;
    try {
      // Imported here so that the main thread of a bundle does not evaluate the parsers.
      const { runExtraction } = await import("./run-extraction.ts");
      answer = { view: await runExtraction(job) };
    } catch (error) {
      answer = { failure: error instanceof Error ? error.message : "unknown" };
    }
    port.postMessage(answer);
  });
}
