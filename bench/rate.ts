import { rounded } from "@reading-list/testing/table-text.ts";

/** Throughput and latency of calls. */
export interface Rate {
  callsPerSecond: number;
  medianMs: number;
  p99Ms: number;
}

/** The rate of calls with these times in ms, made within `elapsedMs`. */
export function rateOf(latenciesMs: readonly number[], elapsedMs: number): Rate {
  return {
    callsPerSecond: (1000 * latenciesMs.length) / elapsedMs,
    medianMs: percentileOf(latenciesMs, 0.5),
    p99Ms: percentileOf(latenciesMs, 0.99),
  };
}

/** The quantile: the value that this share of the values does not exceed. */
export function percentileOf(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(share * values.length) - 1] ?? Number.NaN;
}

/** The rate of the median round, so that other load on the machine has little effect. */
export function medianRate(rounds: readonly Rate[]): Rate {
  const sorted = rounds.toSorted((a, b) => a.callsPerSecond - b.callsPerSecond);
  const middle = sorted[Math.floor(sorted.length / 2)];
  if (!middle) throw new Error("no round was measured");
  return middle;
}

/** A rate as columns of a table. */
export const rateColumns = ({ callsPerSecond, medianMs, p99Ms }: Rate) => ({
  "calls/s": rounded(callsPerSecond),
  "median ms": rounded(medianMs),
  "99% ms": rounded(p99Ms),
});
