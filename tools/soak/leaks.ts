// SPDX-License-Identifier: MIT

/** Growth of a figure from the second quarter of a run to the last. */
export interface Growth {
  early?: number;
  late?: number;
  allowed: number;
  verdict: "steady" | "LEAKS" | "too short to tell";
}

/** Minimum number of samples. */
const minSamples = 8;

/**
 * Whether a figure leaks, from samples at equal intervals: its minimum in the last quarter is more than `allowed` above
 * its minimum in the second one, and the trend from the second quarter on rises by as much. The first quarter is left
 * out, because caches still fill.
 */
export function judgeGrowth(samples: readonly number[], allowed: number): Growth {
  if (samples.length < minSamples) return { allowed, verdict: "too short to tell" };
  const quarter = Math.floor(samples.length / 4);
  const early = Math.min(...samples.slice(quarter, 2 * quarter));
  const late = Math.min(...samples.slice(-quarter));
  const rise = slopeOf(samples.slice(quarter)) * 2 * quarter;
  const isLeak = late - early > allowed && rise > allowed;
  return { early, late, allowed, verdict: isLeak ? "LEAKS" : "steady" };
}

/** Theil-Sen estimator: the median of the slopes between any two samples, robust against outliers. */
function slopeOf(samples: readonly number[]): number {
  const slopes = samples.flatMap((a, i) => samples.slice(i + 1).map((b, j) => (b - a) / (j + 1)));
  return slopes.sort((a, b) => a - b)[Math.floor(slopes.length / 2)] ?? 0;
}
