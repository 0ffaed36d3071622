import { Worker } from "node:worker_threads";
import type { PageKind } from "./media-type.ts";
import type { PageView, ViewOptions } from "./text-view.ts";

/** A fetched page on its way to a worker. */
export interface ExtractionJob extends ViewOptions {
  body: Uint8Array;
  kind: PageKind;
  charset: string | undefined;
  /** Where the page stands, as a string: URLs do not travel between threads. */
  url: string;
}

export type ExtractionAnswer = { view: PageView } | { failure: string };

/**
 * What became of an extraction: `exceeded` where the page exceeded the bounds of time or memory or could not be parsed,
 * `busy` where no worker came free in time.
 */
export type Extraction = { kind: "view"; view: PageView } | { kind: "exceeded" } | { kind: "busy" };

export interface ExtractionPoolOptions {
  /** The file that calls `serveExtractions`. */
  workerEntry: URL;
  /** Workers at most; each is started when first needed, and then kept. */
  workers: number;
  /** Milliseconds that one extraction may take, the start of its worker included. */
  extractionMs: number;
  /** Megabytes of heap that one worker may fill. */
  heapMb: number;
}

/**
 * Runs extractions in worker threads, so that a page that takes too long or too much memory ends its worker and nothing
 * else. Idle workers do not keep the process alive.
 */
export class ExtractionPool {
  readonly #options: ExtractionPoolOptions;
  readonly #idle = new Set<Worker>();
  readonly #waiting: ((isTurn: boolean) => void)[] = [];
  readonly #all = new Set<Worker>();
  #busy = 0;
  #isClosed = false;

  constructor(options: ExtractionPoolOptions) {
    this.#options = options;
  }

  /** Extracts a page when a worker is free, until `signal` is aborted. */
  async run(job: ExtractionJob, signal: AbortSignal): Promise<Extraction> {
    if (this.#isClosed || signal.aborted) return { kind: "busy" };
    if (this.#busy < this.#options.workers) this.#busy++;
    else if (!(await this.#waitForTurn(signal))) return { kind: "busy" };
    try {
      const worker = this.#takeIdle() ?? this.#start();
      const answer = await this.#ask(worker, job, signal);
      if (answer === undefined) void worker.terminate();
      else this.#idle.add(worker);
      return answer !== undefined && "view" in answer ? { kind: "view", view: answer.view } : { kind: "exceeded" };
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#busy--;
      else next(true);
    }
  }

  /** Ends all workers; extractions that are under way or waiting end without a view. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const turn of this.#waiting.splice(0)) turn(false);
    this.#idle.clear();
    await Promise.all([...this.#all].map((worker) => worker.terminate()));
  }

  #waitForTurn(signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      signal.addEventListener("abort", () => {
        const place = this.#waiting.indexOf(resolve);
        if (place >= 0) this.#waiting.splice(place, 1);
        resolve(false);
      });
    });
  }

  #takeIdle(): Worker | undefined {
    const [worker] = this.#idle;
    if (worker !== undefined) this.#idle.delete(worker);
    return worker;
  }

  #start(): Worker {
    const worker = new Worker(this.#options.workerEntry, {
      resourceLimits: { maxOldGenerationSizeMb: this.#options.heapMb, stackSizeMb: 4 },
    });
    this.#all.add(worker);
    worker.on("exit", () => {
      this.#all.delete(worker);
      this.#idle.delete(worker);
    });
    // Without a listener a worker that runs out of memory would end the process.
    worker.on("error", () => {});
    return worker;
  }

  #ask(worker: Worker, job: ExtractionJob, signal: AbortSignal): Promise<ExtractionAnswer | undefined> {
    worker.ref();
    return new Promise<ExtractionAnswer | undefined>((resolve) => {
      const settle = (answer: ExtractionAnswer | undefined) => {
        clearTimeout(timer);
        worker.off("message", settle).off("exit", giveUp);
        signal.removeEventListener("abort", giveUp);
        worker.unref();
        resolve(answer);
      };
      const giveUp = () => settle(undefined);
      const timer = setTimeout(giveUp, this.#options.extractionMs);
      worker.on("message", settle).on("exit", giveUp);
      signal.addEventListener("abort", giveUp);
      if (signal.aborted) return giveUp();
      worker.postMessage(job);
    });
  }
}
