// SPDX-License-Identifier: MIT

/** Latency of calls: the median, the 95th and the 99th percentile in ms. */
export function latencyOf(latenciesMs: readonly number[]): {
  medianMs: number;
  p95Ms: number;
  p99Ms: number;
} {
  const sorted = latenciesMs.toSorted((a, b) => a - b);
  const quantile = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;
  return { medianMs: quantile(0.5), p95Ms: quantile(0.95), p99Ms: quantile(0.99) };
}
