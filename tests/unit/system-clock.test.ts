import { createSystemClock } from "@reading-list/core/system-clock.ts";
import { beforeEach, expect, test } from "vitest";

let wall: number;
let monotonic: number;
let clock: ReturnType<typeof createSystemClock>;

beforeEach(() => {
  wall = 1_800_000_000_000;
  monotonic = 5000;
  clock = createSystemClock({ now: () => wall }, { now: () => monotonic });
});

/** Milliseconds by which the stopwatch advances. */
function elapsedDuring(happen: () => void): number {
  const start = clock.elapsed();
  happen();
  return clock.elapsed() - start;
}

test("returns the time of the wall clock", () => {
  wall += 7;
  expect(clock.now()).toBe(1_800_000_000_007);
});

test("the stopwatch advances with both clocks", () => {
  expect(
    elapsedDuring(() => {
      wall += 1000;
      monotonic += 1000;
    }),
  ).toBe(1000);
});

test("the stopwatch advances as fast as the monotonic clock, however often it is read", () => {
  expect(
    elapsedDuring(() => {
      for (let step = 1; step <= 10_000; step++) {
        monotonic = 5000 + step / 10;
        wall = Math.floor(1_800_000_000_000 + step / 10);
        clock.elapsed();
      }
    }),
  ).toBeCloseTo(1000);
});

test.each([-3_600_000, 3_600_000])("a step of the wall clock by %i ms counts as that much time", (step) => {
  expect(
    elapsedDuring(() => {
      wall += step;
    }),
  ).toBe(3_600_000);
});

test("time in which the monotonic clock stood still counts, because Lambda freezes processes", () => {
  expect(
    elapsedDuring(() => {
      wall += 60_000;
      monotonic += 1;
    }),
  ).toBe(60_000);
});
