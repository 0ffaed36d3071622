// SPDX-License-Identifier: MIT

import { fileURLToPath } from "node:url";
import { ServiceError } from "@reading-list/core/errors.ts";
import { FairQueue, type QueueLoad } from "@reading-list/core/fair-queue.ts";
import type { Turn } from "@reading-list/core/ports/pages.ts";
import type { PictureReader } from "@reading-list/core/ports/pictures.ts";
import { FetchError } from "../fetch/fetch-error.ts";
import { PageFetcher, type PageFetcherOptions } from "../fetch/fetch-page.ts";
import { createHostResolver } from "../fetch/resolve-host.ts";
import { ExtractionPool, idleMs, type PictureJob, workerFailed } from "../processes/extraction-pool.ts";

const toFolder = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const ownWorker = {
  entry: new URL("./picture-worker.ts", import.meta.url),
  folders: ["../../../packages/", "../../../node_modules/", "../../../package.json"].map(toFolder),
};

/** Milliseconds of processor time. An image of 50 megapixels takes 2 s. */
const processorMs = 5000;
/**
 * Images that are fetched, or wait for the worker, at once: with 2 MB each for e-readers, and 8 MB to be kept. Those to be
 * kept wait for their turn.
 */
const places = { jpeg: { atOnce: 24, waiting: 0 }, webp: { atOnce: 8, waiting: 64 } };

/** A picture reader that owns sockets and a worker process. They do not keep the process alive. */
export interface ClosablePictureReader extends PictureReader {
  /** Of its worker process. */
  load(): QueueLoad;
  close(): Promise<void>;
}

/**
 * Reads pictures of pages, for e-readers and to keep them. They are fetched like the pictures of books, and decoded in
 * a separate process, because Node's permissions forbid native modules in the processes that read pages.
 */
export function createPictureReader({
  allowedOrigins,
  resolve = createHostResolver(),
  deadlineMs = 20_000,
  worker = ownWorker,
}: Pick<PageFetcherOptions, "allowedOrigins"> &
  Partial<PageFetcherOptions> & {
    /** Milliseconds for the fetch and the wait for the worker; e-readers give up after 30 s. */
    deadlineMs?: number;
    /** The module that calls `servePictures`, and the folders of its program. */
    worker?: { entry: URL; folders: readonly string[] };
  }): ClosablePictureReader {
  const fetcher = new PageFetcher({ allowedOrigins, resolve });
  const pool = new ExtractionPool(worker.entry, worker.folders, {
    workers: 1,
    usesAddons: true,
    ...(worker === ownWorker && { idleMs }),
  });
  const queues = { jpeg: new FairQueue(places.jpeg), webp: new FairQueue(places.webp) };

  /** The outcome of re-encoding an image. Throws `notFound` if it cannot be fetched, `busy` if too many wait. */
  async function write(
    format: PictureJob["format"],
    turn: Turn,
    fetchBody: (signal: AbortSignal) => Promise<Uint8Array>,
  ) {
    const signal = AbortSignal.timeout(deadlineMs);
    const leave = await queues[format].enter(`${turn.address} ${turn.user}`, signal).catch(() => {
      throw tooManyPictures();
    });
    try {
      const body = await fetchBody(signal).catch((error) => {
        throw notFound(signal.aborted ? new FetchError("takes too long to answer") : error);
      });
      const outcome = await pool.run({ work: "picture", format, body }, { processorMs, turn, signal });
      if (outcome.kind === "busy") throw tooManyPictures();
      if (outcome.kind === "crashed") throw workerFailed(outcome);
      return outcome;
    } finally {
      leave();
    }
  }

  async function writeJpeg(turn: Turn, fetchBody: (signal: AbortSignal) => Promise<Uint8Array>): Promise<Uint8Array> {
    const outcome = await write("jpeg", turn, fetchBody);
    if (outcome.kind === "done") return outcome.result;
    const reason = outcome.kind === "refused" ? outcome.reason : "needs too much time or memory";
    throw notFound(new FetchError(reason));
  }

  async function writeWebp(turn: Turn, fetchBody: (signal: AbortSignal) => Promise<Uint8Array>) {
    const outcome = await write("webp", turn, fetchBody);
    return outcome.kind === "done" ? outcome.result : undefined;
  }

  return {
    load: pool.load,
    jpeg: (url, turn) => writeJpeg(turn, (signal) => fetcher.fetchImage(url, signal)),
    toJpeg: (content, turn) => writeJpeg(turn, async () => content),
    webp: (url, pageUrl, turn) => writeWebp(turn, (signal) => fetcher.fetchPicture(url, pageUrl, signal)),
    toWebp: (content, turn) => writeWebp(turn, async () => content),
    async close() {
      await Promise.all([fetcher.close(), pool.close()]);
    },
  };
}

/** The error of a picture that cannot be fetched or decoded; another error as it is. */
const notFound = (error: unknown) =>
  error instanceof FetchError ? new ServiceError("notFound", `url ${error.message}`, { cause: error }) : error;

const tooManyPictures = () =>
  new ServiceError("busy", "too many pictures are being read at once; try again", { retryAfter: 2 });
