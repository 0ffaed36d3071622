// SPDX-License-Identifier: MIT

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { SQLOutputValue } from "node:sqlite";
import { deadlineSignal } from "@reading-list/core/call-scope.ts";
import { ServiceError } from "@reading-list/core/errors.ts";
import { hasLittleMemory, offerToKernel } from "@reading-list/core/expendable-process.ts";
import { FairQueue } from "@reading-list/core/fair-queue.ts";
import type { Statement } from "./statements.ts";

/** Evaluations at the same time; one user has one. */
const maxProcesses = hasLittleMemory() ? 1 : 2;
/** Maximum of waiting evaluations. Most take less than 30 ms. */
const maxWaiting = 200;
/** Memory for the pages of the file that a process has read. */
const cacheKilobytes = 16_000;
/** Milliseconds after which a process or thread without work ends. */
export const idleMs = 60_000;

export interface EvaluationLimits {
  /** Milliseconds that an evaluation may take. */
  evaluationMs?: number;
  /** Bytes of memory that its process may use. Node itself uses 60 MB. */
  bytes?: number;
}

/** SQLite's codes of a file that is locked for too long, and of too little memory. */
const overload = new Set([5, 6, 7]);

/** The answer of a process: the rows of each statement, or SQLite's code and message. */
type Evaluation = { rows: Record<string, SQLOutputValue>[][] } | { code: number; message: string };

/**
 * Evaluates statements and ends itself if that takes too long or too much memory: SQLite does not return to the event loop
 * meanwhile, so that a thread watches. A file without tables, which is being made, has no rows. The last file stays open with
 * the pages that were read, until it is replaced or written to outside its log: a ranked search reads the size of each page.
 */
const program = `
  const { statSync } = require("node:fs");
  const { DatabaseSync } = require("node:sqlite");
  const { Worker } = require("node:worker_threads");
  const watch = new Worker(\`
    const { parentPort } = require("node:worker_threads");
    let check;
    parentPort.on("message", ({ evaluationMs, bytes }) => {
      clearInterval(check);
      if (evaluationMs === undefined) return;
      const end = performance.now() + evaluationMs;
      check = setInterval(() => {
        if (performance.now() > end || process.memoryUsage.rss() > bytes) process.kill(process.pid, "SIGKILL");
      }, 20);
    });
  \`, { eval: true });
  // A terminal sends its signals to this process, too.
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => {});
  process.on("disconnect", () => process.exit());
  let database;
  let opened;
  const open = (file) => {
    const { ino, mtimeMs, size } = statSync(file, { throwIfNoEntry: false }) ?? {};
    const found = [file, ino, mtimeMs, size].join();
    if (database && found === opened) return;
    close();
    database = new DatabaseSync(file, { readOnly: true, timeout: 1000 });
    database.exec("PRAGMA cache_size = -${cacheKilobytes}");
    opened = found;
  };
  const close = () => {
    database?.close();
    database = undefined;
  };
  process.on("message", ({ file, statements, ...limits }) => {
    watch.postMessage(limits);
    let answer;
    try {
      open(file);
      database.exec("BEGIN");
      const { user_version: version } = database.prepare("PRAGMA user_version").get();
      answer = { rows: statements.map(({ sql, values }) => (version === 0 ? [] : database.prepare(sql).all(values))) };
      database.exec("COMMIT");
    } catch (error) {
      answer = { code: Number(error.errcode) & 0xff, message: String(error.message) };
      close();
    } finally {
      watch.postMessage({});
    }
    process.send(answer);
  });
`;

const tooLongSearch = () =>
  new ServiceError("busy", "search: this search takes too long; use fewer or rarer words", { retryAfter: 1 });

/**
 * Processes that evaluate searches and that can be ended, as a thread within SQLite cannot. They begin with the first search,
 * and end after a minute without one.
 */
export class Evaluators {
  readonly #places = new FairQueue({ atOnce: maxProcesses, ofGroup: 1, waiting: maxWaiting });
  readonly #idle = new Map<ChildProcess, NodeJS.Timeout>();
  readonly #all = new Set<ChildProcess>();
  readonly #limits: Required<EvaluationLimits>;

  constructor(limits: EvaluationLimits = {}) {
    this.#limits = { evaluationMs: 2000, bytes: 200_000_000, ...limits };
  }

  /**
   * The rows of statements in a file, in the turn of a user. Throws `busy` if too many wait, or if the evaluation takes too
   * long or too much memory, and an error with `errcode` for SQLite's.
   */
  async evaluate(userId: string, file: string, statements: readonly Statement[]) {
    const patience = deadlineSignal() ?? AbortSignal.timeout(60_000);
    const leave = await this.#places.enter(userId, patience).catch(() => {
      throw new ServiceError("busy", "search: too many searches are waiting; try again", { retryAfter: 1 });
    });
    try {
      const child = this.#takeIdle() ?? this.#start();
      child.send({ file, statements, ...this.#limits }, () => {});
      const answer = await nextAnswer(child);
      if (!answer) throw tooLongSearch();
      this.#keep(child);
      if ("rows" in answer) return answer.rows;
      if (overload.has(answer.code)) throw tooLongSearch();
      throw Object.assign(new Error(answer.message), { errcode: answer.code });
    } finally {
      leave();
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#all].map(end));
  }

  #takeIdle(): ChildProcess | undefined {
    const [[child, timer] = []] = this.#idle;
    if (child) this.#idle.delete(child);
    clearTimeout(timer);
    return child;
  }

  #keep(child: ChildProcess): void {
    this.#idle.set(
      child,
      setTimeout(() => {
        this.#idle.delete(child);
        void end(child);
      }, idleMs).unref(),
    );
  }

  #start(): ChildProcess {
    // Lambda's Node finds its libraries by LD_LIBRARY_PATH.
    const { LD_LIBRARY_PATH: libraries } = process.env;
    const child = spawn(process.execPath, ["--max-old-space-size=64", "-e", program], {
      env: libraries === undefined ? {} : { LD_LIBRARY_PATH: libraries },
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      serialization: "advanced",
    });
    offerToKernel(child);
    this.#all.add(child);
    child.on("close", () => {
      this.#all.delete(child);
      clearTimeout(this.#idle.get(child));
      this.#idle.delete(child);
    });
    // An `error` event without a listener ends the process, for example when no process can be started.
    child.on("error", () => {});
    return child;
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.ref();
  child.kill("SIGKILL");
  await once(child, "close");
}

/** The next answer of a process, which keeps this one alive until then; undefined if it ends, or did not start. */
function nextAnswer(child: ChildProcess): Promise<Evaluation | undefined> {
  child.ref();
  child.channel?.ref();
  return new Promise((resolve) => {
    const settle = (answer: Evaluation | undefined) => {
      child.off("message", settle).off("close", fail).off("error", fail);
      child.unref();
      child.channel?.unref();
      resolve(answer);
    };
    const fail = () => settle(undefined);
    child.on("message", settle).on("close", fail).on("error", fail);
  });
}
