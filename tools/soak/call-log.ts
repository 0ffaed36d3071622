// SPDX-License-Identifier: MIT

import { CallResults } from "@reading-list/testing/checked-user.ts";
import { rounded, type Subject } from "@reading-list/testing/table-text.ts";
import { latencyOf } from "./latency.ts";

/** Number of faults that are printed in full; further ones are only counted. */
const faultsPrinted = 20;

/** The calls of a run with their times, and the faults. */
export class CallLog extends CallResults {
  readonly faults: string[] = [];
  faultCount = 0;
  /** No deadline: other work on the machine slows calls down. The table shows their times. */
  override readonly maxCallMs = Number.POSITIVE_INFINITY;
  readonly #latencies = new Map<string, number[]>();
  #recent: number[] = [];

  override note(endpoint: string, status: number, milliseconds: number): void {
    super.note(endpoint, status, milliseconds);
    this.#recent.push(milliseconds);
    const kind = status === 200 ? endpoint : `${endpoint}, ${status}`;
    const latencies = this.#latencies.get(kind);
    if (latencies) latencies.push(milliseconds);
    else this.#latencies.set(kind, [milliseconds]);
  }

  addFault(fault: string): void {
    if (this.faultCount++ < faultsPrinted) this.faults.push(fault);
  }

  /** Removes the calls so far, not their faults. */
  startOver(): void {
    this.sent = 0;
    this.#recent = [];
    this.#latencies.clear();
  }

  /** Milliseconds of each call since the last use of this method. */
  takeRecent(): number[] {
    const recent = this.#recent;
    this.#recent = [];
    return recent;
  }

  /** A row for each endpoint and status. */
  table(title: string, seconds: number): Subject {
    const all: [string, number[]] = ["all", [...this.#latencies.values()].flat()];
    const rows = [all, ...[...this.#latencies].sort()].map(([call, latencies]) => {
      const { medianMs, p95Ms, p99Ms } = latencyOf(latencies);
      const maxMs = latencies.reduce((a, b) => Math.max(a, b), 0);
      return {
        call,
        calls: latencies.length,
        "median ms": rounded(medianMs),
        "95% ms": rounded(p95Ms),
        "99% ms": rounded(p99Ms),
        "max ms": rounded(maxMs),
      };
    });
    return {
      title,
      notes: [`${this.sent} in ${rounded(seconds / 60)} minutes, all kinds concurrently.`],
      rows,
    };
  }
}
