/** Rules of leases: a process takes several calls of an application's window from the database in one write. */

/** Lifetime of a lease in ms. Its unused calls are given back after that. */
export const leaseMs = 1000;

/** Lease at most 1/100 of the remaining calls, so that few are stranded near the limit. */
const callsForOne = 100;

/**
 * Calls to expect within the lifetime of a lease, after `answered` calls in `elapsedMs`: the same rate, but at most
 * twice as many calls; 1 if the last call was more than a lifetime ago.
 */
export function expectedCalls(answered: number, elapsedMs: number, idleMs: number): number {
  if (idleMs >= leaseMs) return 1;
  return Math.max(1, Math.floor(answered * Math.min(2, leaseMs / elapsedMs)));
}

/** Size of a lease: the waiting calls, or the expected ones within the allowed share of the remaining; at least 1. */
export function leaseSize(expected: number, waiting: number, remaining: number): number {
  const ahead = Math.min(expected, Math.floor(remaining / callsForOne));
  return Math.max(1, Math.min(remaining, Math.max(waiting, ahead)));
}

/**
 * Calls that must remain for the write to succeed: 50 times the size if the lease is larger than the waiting calls
 * (half of what a lease of that size needs), else its size.
 */
export function leastRemaining(size: number, waiting: number): number {
  return size > waiting ? (size * callsForOne) / 2 : size;
}
