// SPDX-License-Identifier: MIT

import { type ChildProcess, execFile } from "node:child_process";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { type Clock, unixTime } from "@reading-list/core/ports/clock.ts";
import type { CheckedData, Checks } from "@reading-list/core/ports/operator.ts";

const program = fileURLToPath(new URL("../ops/readinglist.js", import.meta.url));

/** Maximum bytes of the findings. Each names some users or pages. */
const maxBytes = 1_000_000;

/**
 * Runs `readinglist doctor`, one at a time, in a separate process, because it reads the whole database and all
 * pictures, which takes seconds of processor time, or minutes.
 */
export class DataChecks implements Checks {
  readonly #folder: string;
  readonly #clock: Clock;
  #running: ChildProcess | undefined;
  last: CheckedData | undefined;
  failure: string | undefined;

  /** `folder`: the data folder of the service. */
  constructor(folder: string, clock: Clock) {
    this.#folder = path.resolve(folder);
    this.#clock = clock;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  begin(): void {
    if (this.#running) return;
    const env = { ...process.env, DATA_DIR: this.#folder, STORE: "", DYNAMODB_ENDPOINT: "" };
    const options = { env, maxBuffer: maxBytes };
    this.#running = execFile(process.execPath, [program, "doctor", "--json"], options, (error, output, problem) => {
      this.#running = undefined;
      // It also exits with 1 if it has found a fault.
      try {
        const { checks } = JSON.parse(output) as { checks: CheckedData["findings"] };
        this.last = { time: unixTime(this.#clock), findings: checks };
        this.failure = undefined;
      } catch {
        this.failure = problem.trim().split("\n", 1)[0] || String(error?.message ?? "it produced no output");
      }
    });
  }

  stop(): void {
    this.#running?.kill();
  }
}
