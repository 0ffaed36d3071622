/** How a figure differs between the second quarter of a run and the last. */
export interface Growth {
  early?: number;
  late?: number;
  allowed: number;
  verdict: "steady" | "LEAKS" | "too short to tell";
}

/** Samples without which nothing can be said. */
const fewestSamples = 8;

/**
 * Whether a figure leaks, from samples at even distances: its least in the last quarter lies more than `allowed` above
 * its least in the second, and the line through all samples from the second quarter on rises by as much between the two.
 * The first quarter is left out, as caches still fill in it.
 */
export function judgeGrowth(samples: readonly number[], allowed: number): Growth {
  if (samples.length < fewestSamples) return { allowed, verdict: "too short to tell" };
  const quarter = Math.floor(samples.length / 4);
  const early = Math.min(...samples.slice(quarter, 2 * quarter));
  const late = Math.min(...samples.slice(-quarter));
  const rise = slopeOf(samples.slice(quarter)) * 2 * quarter;
  const isLeak = late - early > allowed && rise > allowed;
  return { early, late, allowed, verdict: isLeak ? "LEAKS" : "steady" };
}

/** The median of the slopes between any two samples, so that single ones that stand out count for little. */
function slopeOf(samples: readonly number[]): number {
  const slopes = samples.flatMap((a, i) => samples.slice(i + 1).map((b, j) => (b - a) / (j + 1)));
  return slopes.sort((a, b) => a - b)[Math.floor(slopes.length / 2)] ?? 0;
}
