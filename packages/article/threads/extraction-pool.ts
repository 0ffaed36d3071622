import { Worker } from "node:worker_threads";
import type { PageKind } from "../fetch/media-type.ts";
import { Semaphore } from "../semaphore.ts";
import type { PageView, ViewOptions } from "../view/text-view.ts";

/** A fetched page, as it is sent to a worker. */
export interface ExtractionJob extends ViewOptions {
  body: Uint8Array;
  kind: PageKind;
  charset: string | undefined;
  /** The page's URL. A string, because URL objects cannot be cloned to another thread. */
  url: string;
}

/** The messages of a worker: first that it is ready, then an answer for each job. */
export type WorkerMessage = "ready" | { view: PageView } | { failure: string };

/**
 * The result of an extraction.
 *
 * - `view`: the page's text view
 * - `exceeded`: the page needs more processor time or memory than one extraction may use, or cannot be parsed
 * - `busy`: the deadline expired, or the pool was closed, before a worker was free
 */
export type Extraction = { kind: "view"; view: PageView } | { kind: "exceeded" } | { kind: "busy" };

/** Workers at the same time. A worker is started when it is first needed and then reused. */
const maxWorkers = 2;
const heapMb = 256;
/** Milliseconds between two looks at the processor time of a worker. */
const checkMs = 100;

/**
 * A pool of worker threads for extractions. A page that exceeds the limit of processor time or memory ends its worker and
 * affects no other request. The start of a worker does not count, nor the time in which other processes have the processor:
 * a slow machine would otherwise refuse pages that it can extract. Idle workers do not keep the process alive.
 */
export class ExtractionPool {
  readonly #workerEntry: URL;
  readonly #processorMs: number;
  readonly #idle = new Set<Worker>();
  readonly #places = new Semaphore(maxWorkers);
  readonly #all = new Set<Worker>();
  readonly #closing = new AbortController();

  /** `workerEntry` is the file that calls `serveExtractions`; an extraction may use `processorMs` of processor time. */
  constructor(workerEntry: URL, processorMs: number) {
    this.#workerEntry = workerEntry;
    this.#processorMs = processorMs;
  }

  /** Extracts a page as soon as a worker is free. Aborting `signal` ends the wait for a worker, but not an extraction. */
  async run(job: ExtractionJob, signal: AbortSignal): Promise<Extraction> {
    try {
      await this.#places.acquire(AbortSignal.any([signal, this.#closing.signal]));
    } catch {
      return { kind: "busy" };
    }
    try {
      if (this.#closing.signal.aborted) return { kind: "busy" };
      const worker = this.#takeIdle() ?? (await this.#start());
      const answer = worker && (await this.#ask(worker, job));
      if (answer !== undefined) this.#idle.add(worker as Worker);
      else void worker?.terminate();
      return answer !== undefined && "view" in answer ? { kind: "view", view: answer.view } : { kind: "exceeded" };
    } finally {
      this.#places.release();
    }
  }

  /** Terminates all workers. Running extractions end as `exceeded`, waiting ones as `busy`. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#idle.clear();
    await Promise.all([...this.#all].map((worker) => worker.terminate()));
  }

  #takeIdle(): Worker | undefined {
    const [worker] = this.#idle;
    if (worker !== undefined) this.#idle.delete(worker);
    return worker;
  }

  /** A worker that is ready; undefined if it cannot start. */
  async #start(): Promise<Worker | undefined> {
    const worker = new Worker(this.#workerEntry, {
      resourceLimits: { maxOldGenerationSizeMb: heapMb, stackSizeMb: 4 },
    });
    this.#all.add(worker);
    worker.on("exit", () => {
      this.#all.delete(worker);
      this.#idle.delete(worker);
    });
    // An `error` event without a listener ends the process, for example when a worker runs out of memory.
    worker.on("error", () => {});
    return (await nextMessage(worker)) === undefined ? undefined : worker;
  }

  /** Undefined if the worker exits or exceeds the limit of processor time. */
  async #ask(worker: Worker, job: ExtractionJob): Promise<Exclude<WorkerMessage, "ready"> | undefined> {
    const atStart = await worker.cpuUsage().catch(() => undefined);
    if (atStart === undefined) return undefined;
    const terminateLate = async () => {
      const { user, system } = await worker.cpuUsage(atStart);
      if ((user + system) / 1000 > this.#processorMs) await worker.terminate();
    };
    // It fails once the worker has exited.
    const check = setInterval(() => terminateLate().catch(() => {}), checkMs);
    try {
      worker.postMessage(job);
      const answer = await nextMessage(worker);
      return answer === "ready" ? undefined : answer;
    } finally {
      clearInterval(check);
    }
  }
}

/** The next message of a worker, which keeps the process alive until then; undefined if it exits. */
function nextMessage(worker: Worker): Promise<WorkerMessage | undefined> {
  worker.ref();
  return new Promise((resolve) => {
    const settle = (message: WorkerMessage | undefined) => {
      worker.off("message", settle).off("exit", exit);
      worker.unref();
      resolve(message);
    };
    const exit = () => settle(undefined);
    worker.on("message", settle).on("exit", exit);
  });
}
