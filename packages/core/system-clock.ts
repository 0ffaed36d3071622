import type { Clock, Stopwatch } from "./ports.ts";

/** Milliseconds by which wall and monotonic clock may drift apart before that counts as a step. */
const toleratedDriftMs = 100;

/**
 * The clock of this process. Its stopwatch is the monotonic clock plus every step of the wall clock, in either
 * direction: the monotonic clock stands still while Lambda freezes a process, so that cached values would outlive their
 * time. After a step cached values are read again, which checks whether the clock is right now (store/client.ts).
 */
export function createSystemClock(wall: Clock = Date, monotonic: Clock = performance): Clock & Stopwatch {
  let steps = 0;
  let offset = wall.now() - monotonic.now();
  return {
    now: () => wall.now(),
    elapsed: () => {
      const now = monotonic.now();
      const drift = wall.now() - now - offset;
      if (Math.abs(drift) > toleratedDriftMs) {
        offset += drift;
        steps += Math.abs(drift);
      }
      return now + steps;
    },
  };
}
