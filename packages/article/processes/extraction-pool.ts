import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { PageKind } from "../fetch/media-type.ts";
import { Semaphore } from "../semaphore.ts";
import type { Mode, ModesOptions, PageView } from "../view/text-view.ts";

/** A fetched page, as it is sent to a worker. */
export interface ExtractionJob extends ModesOptions {
  body: Uint8Array;
  kind: PageKind;
  charset: string | undefined;
  /** The page's URL. A string, because URL objects cannot be cloned to another process. */
  url: string;
}

/** The text views of the modes that a job names. */
export type PageViews = Partial<Record<Mode, PageView>>;

/** The messages of a worker: first that it is ready, then an answer for each job. */
export type WorkerMessage = "ready" | { views: PageViews } | { failure: string };

/**
 * The result of an extraction.
 *
 * - `views`: the text views of the page
 * - `exceeded`: the page needs more processor time or memory than one extraction may use, or cannot be parsed
 * - `busy`: the deadline expired, or the pool was closed, before a worker was free
 */
export type Extraction = { kind: "views"; views: PageViews } | { kind: "exceeded" } | { kind: "busy" };

/** The first argument of a worker; the second is the limit of processor time in milliseconds. */
export const workerArgument = "serve-extractions";

/** Workers at the same time. A worker is started when it is first needed and then reused. */
const maxWorkers = 2;
const execArgv = ["--max-old-space-size=256", "--stack-size=3900"];

/**
 * A pool of worker processes for extractions. A page that exceeds the limit of processor time or memory ends its worker and
 * affects no other request. Not threads: V8 may end all of a process if one of its threads runs out of memory. The start
 * of a worker does not count, nor the time in which other processes have the processor: a slow machine would otherwise
 * refuse pages that it can extract. Idle workers do not keep the process alive.
 */
export class ExtractionPool {
  readonly #workerEntry: URL;
  readonly #processorMs: number;
  readonly #idle = new Set<ChildProcess>();
  readonly #places = new Semaphore(maxWorkers);
  readonly #all = new Set<ChildProcess>();
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
      if (worker === undefined) return { kind: "exceeded" };
      worker.send(job, () => {});
      const answer = await nextMessage(worker);
      if (answer === undefined || answer === "ready") return { kind: "exceeded" };
      this.#idle.add(worker);
      return "views" in answer ? { kind: "views", views: answer.views } : { kind: "exceeded" };
    } finally {
      this.#places.release();
    }
  }

  /** Ends all workers. Running extractions end as `exceeded`, waiting ones as `busy`. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#idle.clear();
    const ends = [...this.#all].map((worker) => {
      worker.ref();
      worker.kill("SIGKILL");
      return once(worker, "close");
    });
    await Promise.all(ends);
  }

  #takeIdle(): ChildProcess | undefined {
    const [worker] = this.#idle;
    if (worker !== undefined) this.#idle.delete(worker);
    return worker;
  }

  /** A worker that is ready; undefined if it cannot start. */
  async #start(): Promise<ChildProcess | undefined> {
    const worker = fork(this.#workerEntry, [workerArgument, String(this.#processorMs)], {
      execArgv,
      serialization: "advanced",
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    this.#all.add(worker);
    worker.on("close", () => {
      this.#all.delete(worker);
      this.#idle.delete(worker);
    });
    // An `error` event without a listener ends the process, for example when no process can be started.
    worker.on("error", () => {});
    return (await nextMessage(worker)) === undefined ? undefined : worker;
  }
}

/** The next message of a worker, which keeps the process alive until then; undefined if it exits or did not start. */
function nextMessage(worker: ChildProcess): Promise<WorkerMessage | undefined> {
  worker.ref();
  worker.channel?.ref();
  return new Promise((resolve) => {
    const settle = (message: WorkerMessage | undefined) => {
      worker.off("message", settle).off("close", end);
      worker.unref();
      worker.channel?.unref();
      resolve(message);
    };
    const end = () => settle(undefined);
    worker.on("message", settle).on("close", end);
  });
}
