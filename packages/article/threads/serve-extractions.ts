import { parentPort } from "node:worker_threads";
import type { ExtractionJob, WorkerMessage } from "./extraction-pool.ts";

/**
 * Makes this worker thread serve extractions for `ExtractionPool`, one after the other. Call it at the top of the worker's
 * entry. A bundle that is its own worker calls it if `isMainThread` is false.
 */
export async function serveExtractions(): Promise<void> {
  const port = parentPort;
  if (port === null) throw new Error("serveExtractions is for worker threads");
  const send = (message: WorkerMessage) => port.postMessage(message);
  // Imported here so that the main thread of a bundle does not evaluate the parsers.
  const { runExtraction } = await import("./run-extraction.ts");
  port.on("message", async (job: ExtractionJob) => {
    try {
      send({ view: await runExtraction(job) });
    } catch (error) {
      send({ failure: error instanceof Error ? error.message : "unknown" });
    }
  });
  send("ready");
}
