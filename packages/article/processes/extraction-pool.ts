// SPDX-License-Identifier: MIT

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { ServiceError } from "@reading-list/core/errors.ts";
import { hasLittleMemory, offerToKernel } from "@reading-list/core/expendable-process.ts";
import { FairQueue, type QueueLoad } from "@reading-list/core/fair-queue.ts";
import type { Chapter, Turn } from "@reading-list/core/ports/pages.ts";
import type { BookImage } from "../epub/images.ts";
import type { PageKind } from "../fetch/media-type.ts";
import type { Mode, ModesOptions, PageView } from "../view/text-view.ts";

/** Work for a worker process: documents of strangers, which are parsed in no other process. */
export type Job = ExtractionJob | ImageUrlsJob | BookJob | PictureJob;

/** A fetched page, and the modes of the text views to extract. */
export interface ExtractionJob extends ModesOptions {
  work: "views";
  body: Uint8Array;
  kind: PageKind;
  charset: string | undefined;
  /** The page's URL. A string, because URL objects cannot be cloned to another process. */
  url: string;
}

/** Chapters of a book whose image URLs are wanted. */
export interface ImageUrlsJob {
  work: "imageUrls";
  chapters: readonly Chapter[];
}

/** A book to write. `now` in unix seconds. */
export interface BookJob {
  work: "book";
  chapters: readonly Chapter[];
  images: ReadonlyMap<string, BookImage>;
  isVerbatim: boolean;
  now: number;
}

/** An image to write as JPEG for e-readers, or as WebP to be kept; for the workers of pictures (`picture-worker.ts`). */
export interface PictureJob {
  work: "picture";
  format: "jpeg" | "webp";
  body: Uint8Array;
}

/** The text views of the modes that a job names, and where the page has more. URLs are absolute. */
export interface Extraction {
  views: Partial<Record<Mode, PageView>>;
  /** The page to which this one, which has no content, sends its readers. */
  target?: string | undefined;
  /** The JSON of the same origin that has the content of a page with little text. */
  data?: string | undefined;
}

/** The result of each kind of work. */
export interface Results {
  views: Extraction;
  imageUrls: string[];
  book: Uint8Array;
  picture: Uint8Array;
}

/**
 * The messages of a worker: first that it is ready, then an answer for each job. `failure`: the name of an error of the
 * program; `isCostly`: the job exceeds what the program can hold, such as the depth of its stack.
 */
export type WorkerMessage =
  | "ready"
  | { result: Results[keyof Results] }
  | { refusal: string }
  | { failure: string; isCostly: boolean };

/** A job as it is sent to a worker, with the milliseconds of processor time that it may use. */
export type SentJob = Job & { processorMs: number };

/**
 * The outcome of a job.
 *
 * - `done`: the result
 * - `refused`: the page cannot be decoded, with the reason as of a FetchError
 * - `exceeded`: the job needs more processor time, memory or stack than it may use, which may end its worker by a signal
 * - `crashed`: the worker cannot start, has exited, or its program has failed with an error of that name
 * - `busy`: the deadline expired, too many jobs waited, or the pool was closed, before a worker was free
 */
export type Outcome<Result> =
  | { kind: "done"; result: Result }
  | { kind: "refused"; reason: string }
  | { kind: "exceeded" }
  | { kind: "crashed"; error?: string }
  | { kind: "busy" };

export interface RunOptions {
  /** Milliseconds of processor time that the job may use. */
  processorMs: number;
  turn: Turn;
  signal: AbortSignal;
  /** Runs when a worker begins the job. */
  onBegin?: (() => void) | undefined;
}

/**
 * The error of a `crashed` job: a failure of the service, not of the page. If the program failed with an `error`, the log
 * names it, and the same page fails again.
 */
export const workerFailed = ({ error }: { error?: string } = {}) =>
  new ServiceError("unavailable", "the service failed; try again in a few seconds", {
    retryAfter: 5,
    isTemporary: error === undefined,
    cause: Object.assign(new Error("a worker failed"), { code: `WORKER_${error ?? "exit"}`.toUpperCase() }),
  });

/** The first argument of a worker. */
export const workerArgument = "serve-extractions";
/** True in a process that an `ExtractionPool` has started. */
export const isWorker = process.argv[2] === workerArgument;

/** Workers at the same time. A worker is started when it is first needed and then reused. */
const maxWorkers = hasLittleMemory() ? 1 : 2;
/** Jobs that wait for a worker. */
const maxWaiting = 24;
/** Bytes of the pages of all jobs: 24 of 5 MB. A PDF may have 20 MB. */
const maxHeldBytes = 120_000_000;

/**
 * A worker can read only the program, and has an empty environment, because the content that it parses may be hostile.
 * Node's permission model is no boundary against hostile code; on one machine, the systemd unit is that boundary
 * (docs/self-hosting.md). Lambda's Node finds its libraries by LD_LIBRARY_PATH.
 */
const createOptions = (programFolders: readonly string[], usesAddons: boolean) => ({
  execArgv: [
    "--max-old-space-size=256",
    // MB. Young objects fill the larger space that V8 takes by default: a worker grew to 300 MB, now to 180.
    "--max-semi-space-size=4",
    "--stack-size=3900",
    "--permission",
    "--allow-worker",
    ...(usesAddons ? ["--allow-addons"] : []),
    ...programFolders.map((folder) => `--allow-fs-read=${folder}`),
  ],
  env: process.env.LD_LIBRARY_PATH === undefined ? {} : { LD_LIBRARY_PATH: process.env.LD_LIBRARY_PATH },
});

/** Milliseconds after which an idle worker of one machine ends. A function of Lambda is frozen while it is idle, and keeps its workers. */
export const idleMs = 60_000;

const callerKey = ({ address, user }: Turn) => `${address} ${user}`;

/**
 * A pool of worker processes for documents of strangers. A page that exceeds the limit of processor time or memory ends its worker and
 * affects no other request. Not threads: V8 may end all of a process if one of its threads runs out of memory. The start
 * of a worker does not count, nor the time in which other processes have the processor: a slow machine would otherwise
 * refuse pages that it can extract. Idle workers do not keep the process alive.
 */
export class ExtractionPool {
  readonly #workerEntry: URL;
  readonly #options: ReturnType<typeof createOptions>;
  readonly #idle = new Map<ChildProcess, NodeJS.Timeout | undefined>();
  readonly #idleMs: number | undefined;
  readonly #places: FairQueue;
  readonly #all = new Set<ChildProcess>();
  readonly #closing = new AbortController();
  #heldBytes = 0;

  /**
   * `workerEntry` is the file that calls `serveExtractions`; `programFolders` contain its imports. `usesAddons`: its
   * workers may load native modules. `idleMs`: milliseconds after which an idle worker ends; undefined: never.
   */
  constructor(
    workerEntry: URL,
    programFolders: readonly string[],
    {
      workers = maxWorkers,
      usesAddons = false,
      idleMs,
    }: { workers?: number; usesAddons?: boolean; idleMs?: number | undefined } = {},
  ) {
    this.#idleMs = idleMs;
    this.#workerEntry = workerEntry;
    this.#options = createOptions(programFolders, usesAddons);
    this.#places = new FairQueue({ atOnce: workers, ofGroup: 1, waiting: maxWaiting });
  }

  load = (): QueueLoad => this.#places.load();

  /** Whether a job of this caller would be `busy` at once. */
  isFullFor = (turn: Turn): boolean => this.#places.isFullFor(callerKey(turn));

  /**
   * Does a job as soon as a worker is free and it is the turn of its caller; the job may use `processorMs` of processor
   * time. Aborting `signal` ends the wait for a worker, but not the work.
   */
  async run<Work extends Job>(job: Work, options: RunOptions): Promise<Outcome<Results[Work["work"]]>> {
    const bytes = "body" in job ? job.body.byteLength : 0;
    if (this.#heldBytes + bytes > maxHeldBytes) return { kind: "busy" };
    this.#heldBytes += bytes;
    try {
      return await this.#inTurn(job, options);
    } finally {
      this.#heldBytes -= bytes;
    }
  }

  async #inTurn<Work extends Job>(
    job: Work,
    { processorMs, turn, signal, onBegin }: RunOptions,
  ): Promise<Outcome<Results[Work["work"]]>> {
    let leave: () => void;
    try {
      const patience = AbortSignal.any([signal, this.#closing.signal]);
      leave = await this.#places.enter(callerKey(turn), patience, turn.address);
    } catch {
      return { kind: "busy" };
    }
    try {
      if (this.#closing.signal.aborted) return { kind: "busy" };
      const worker = this.#takeIdle() ?? (await this.#start());
      if (worker === undefined) return { kind: this.#closing.signal.aborted ? "exceeded" : "crashed" };
      onBegin?.();
      worker.send({ ...job, processorMs } satisfies SentJob, () => {});
      const answer = await nextMessage(worker);
      if (answer === undefined || answer === "ready")
        return { kind: worker.exitCode === null ? "exceeded" : "crashed" };
      this.#rest(worker);
      if ("refusal" in answer) return { kind: "refused", reason: answer.refusal };
      if ("failure" in answer)
        return answer.isCostly ? { kind: "exceeded" } : { kind: "crashed", error: answer.failure };
      return { kind: "done", result: answer.result as Results[Work["work"]] };
    } finally {
      leave();
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

  #rest(worker: ChildProcess): void {
    const end = () => {
      this.#idle.delete(worker);
      worker.kill("SIGKILL");
    };
    this.#idle.set(worker, this.#idleMs === undefined ? undefined : setTimeout(end, this.#idleMs).unref());
  }

  #takeIdle(): ChildProcess | undefined {
    const [[worker, end] = []] = this.#idle;
    clearTimeout(end);
    if (worker !== undefined) this.#idle.delete(worker);
    return worker;
  }

  /** A worker that is ready; undefined if it cannot start. */
  async #start(): Promise<ChildProcess | undefined> {
    const worker = fork(this.#workerEntry, [workerArgument], {
      ...this.#options,
      serialization: "advanced",
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    offerToKernel(worker);
    this.#all.add(worker);
    worker.on("close", () => {
      this.#all.delete(worker);
      clearTimeout(this.#idle.get(worker));
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
