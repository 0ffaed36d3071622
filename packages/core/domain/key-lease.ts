/** A process takes the calls of an application's window from the database ahead, in leases. These are their rules. */

/** Milliseconds for which a lease is good: then what is left of it is given back. */
export const leaseMs = 1000;

/** A lease is for one call in so many of those that remain: near the limit, few lie unused while others are refused. */
const callsForOne = 100;

/**
 * Calls to expect within the life of a lease, after `answered` calls in `elapsedMs`: the same rate, grown to twice at
 * most; one call where the last was so long ago that the load has ended.
 */
export function expectedCalls(answered: number, elapsedMs: number, idleMs: number): number {
  if (idleMs >= leaseMs) return 1;
  return Math.max(1, Math.floor(answered * Math.min(2, leaseMs / elapsedMs)));
}

/** Calls to take at once: those that wait for it, or those to expect within a share of what remains; never none. */
export function leaseSize(expected: number, waiting: number, remaining: number): number {
  const ahead = Math.min(expected, Math.floor(remaining / callsForOne));
  return Math.max(1, Math.min(remaining, Math.max(waiting, ahead)));
}

/** Calls that must still remain for it: others have taken some since the size was chosen, but not half of them. */
export function leastRemaining(size: number, waiting: number): number {
  return size > waiting ? (size * callsForOne) / 2 : size;
}
