import { rateOf } from "../bench/rate.ts";
import { rounded, type Subject } from "../bench/report.ts";

/** Faults that are told in full; of more, only their number. */
const faultsTold = 20;

/** What was called, how long it took, and what was wrong. */
export class CallLog {
  readonly faults: string[] = [];
  faultCount = 0;
  calls = 0;
  readonly #latencies = new Map<string, number[]>();
  #recent: number[] = [];

  /** Notes an answered call; `kind` is its row in the table. */
  note(kind: string, milliseconds: number): void {
    this.calls++;
    this.#recent.push(milliseconds);
    const latencies = this.#latencies.get(kind);
    if (latencies) latencies.push(milliseconds);
    else this.#latencies.set(kind, [milliseconds]);
  }

  blame(fault: string): void {
    if (this.faultCount++ < faultsTold) this.faults.push(fault);
  }

  /** Forgets the calls of the warm-up, not what was wrong. */
  startOver(): void {
    this.calls = 0;
    this.#recent = [];
    this.#latencies.clear();
  }

  /** The latencies noted since it was last asked. */
  takeRecent(): number[] {
    const recent = this.#recent;
    this.#recent = [];
    return recent;
  }

  /** A row for each kind of call. */
  table(seconds: number): Subject {
    const rows = [...this.#latencies].sort().map(([kind, latencies]) => {
      const { medianMs, p99Ms } = rateOf(latencies, 1000 * seconds);
      const most = latencies.reduce((a, b) => Math.max(a, b));
      return {
        call: kind,
        calls: latencies.length,
        "median ms": rounded(medianMs),
        "99% ms": rounded(p99Ms),
        "most ms": rounded(most),
      };
    });
    return { title: "Calls", notes: [`${this.calls} in ${rounded(seconds / 60)} minutes, all kinds at once.`], rows };
  }
}
