import { Worker } from "node:worker_threads";
import type { PageKind } from "../fetch/media-type.ts";
import type { PageView, ViewOptions } from "../view/text-view.ts";

/** A fetched page, as it is sent to a worker. */
export interface ExtractionJob extends ViewOptions {
  body: Uint8Array;
  kind: PageKind;
  charset: string | undefined;
  /** The page's URL. A string, because URL objects cannot be cloned to another thread. */
  url: string;
}

export type ExtractionAnswer = { view: PageView } | { failure: string };

/**
 * The result of an extraction.
 *
 * - `view`: the page's text view
 * - `exceeded`: the page needs more time or memory than one extraction may use, or cannot be parsed
 * - `busy`: the deadline expired because the page had to wait for a worker
 * - `late`: the page got a worker at once, but so late that the deadline expired first
 */
export type Extraction = { kind: "view"; view: PageView } | { kind: "exceeded" } | { kind: "busy" } | { kind: "late" };

export interface ExtractionPoolOptions {
  /** The file that calls `serveExtractions`. */
  workerEntry: URL;
  /** Maximum number of workers. A worker is started when it is first needed and then reused. */
  workers: number;
  /** Milliseconds that one extraction may take, including the start of its worker. */
  extractionMs: number;
  /** Maximum heap of one worker in megabytes. */
  heapMb: number;
}

/**
 * A pool of worker threads for extractions. A page that exceeds the limit of time or memory terminates its worker and
 * affects no other request. Idle workers do not keep the process alive.
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

  /** Extracts a page as soon as a worker is free. Aborting `signal` stops the wait and the extraction. */
  async run(job: ExtractionJob, signal: AbortSignal): Promise<Extraction> {
    if (this.#isClosed || signal.aborted) return { kind: "busy" };
    const mustWait = this.#busy === this.#options.workers;
    if (!mustWait) this.#busy++;
    else if (!(await this.#waitForTurn(signal))) return { kind: "busy" };
    try {
      const worker = this.#takeIdle() ?? this.#start();
      const answer = await this.#ask(worker, job, signal);
      if (answer === undefined || answer === "aborted") void worker.terminate();
      else this.#idle.add(worker);
      if (answer === "aborted") return { kind: mustWait ? "busy" : "late" };
      return answer !== undefined && "view" in answer ? { kind: "view", view: answer.view } : { kind: "exceeded" };
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#busy--;
      else next(true);
    }
  }

  /** Terminates all workers. Running extractions end as `exceeded`, waiting ones as `busy`. */
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
    // An `error` event without a listener ends the process, for example when a worker runs out of memory.
    worker.on("error", () => {});
    return worker;
  }

  /** Undefined if the worker exits or exceeds `extractionMs`. */
  #ask(worker: Worker, job: ExtractionJob, signal: AbortSignal): Promise<ExtractionAnswer | "aborted" | undefined> {
    worker.ref();
    return new Promise((resolve) => {
      const settle = (answer: ExtractionAnswer | "aborted" | undefined) => {
        clearTimeout(timer);
        worker.off("message", settle).off("exit", giveUp);
        signal.removeEventListener("abort", abort);
        worker.unref();
        resolve(answer);
      };
      const giveUp = () => settle(undefined);
      const abort = () => settle("aborted");
      const timer = setTimeout(giveUp, this.#options.extractionMs);
      worker.on("message", settle).on("exit", giveUp);
      signal.addEventListener("abort", abort);
      if (signal.aborted) return abort();
      worker.postMessage(job);
    });
  }
}
