// SPDX-License-Identifier: MIT

import { type ClockRecord, describeDoubt, judgeClock, olderHalf } from "@reading-list/core/domain/clock-check.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

const day = 86_400;
const start = Math.floor(Date.parse("2026-01-01T12:00:00Z") / 1000);

/** A machine whose service runs at some times; each run says whether it may erase by age. */
function machine(record: ClockRecord = {}) {
  let present = record;
  const run = (now: number, known: readonly number[] = []): boolean => {
    const verdict = judgeClock(present, now, known);
    present = verdict.record;
    expect(verdict.permit?.now ?? now).toBe(now);
    return verdict.permit !== undefined;
  };
  return { run, runDaily: (first: number, days: number) => daysFrom(first, days).map((now) => run(now)) };
}
const daysFrom = (first: number, days: number) => Array.from({ length: days }, (_, index) => first + index * day);
const times = (value: boolean, count: number) => Array.from({ length: count }, () => value);

describe("a clock is plausible", () => {
  test("in a new installation", () => {
    expect(machine().run(start)).toBe(true);
  });

  test.each([
    ["the last plausible run", { plausibleRuns: [start] }, []],
    ["a backup or a list", {}, [start]],
    ["a backup, 30 days after the last run", { plausibleRuns: [start - 30 * day] }, [start]],
  ])("at most 30 days after %s", (_, record, known) => {
    expect(machine(record).run(start + 30 * day, known)).toBe(true);
    expect(machine(record).run(start + 30 * day + 1, known)).toBe(false);
  });

  test("again as soon as it is right", () => {
    const { run, runDaily } = machine();
    run(start);
    expect(runDaily(start + 365 * day, 3)).toEqual(times(false, 3));
    expect(run(start + 4 * day)).toBe(true);
    expect(run(start + 365 * day)).toBe(false);
  });

  test("on its seventh daily run, in a service that was off for months", () => {
    const { run, runDaily } = machine();
    run(start);
    expect(runDaily(start + 100 * day, 9)).toEqual([...times(false, 6), ...times(true, 3)]);
    expect(run(start + 130 * day)).toBe(true);
  });

  test("not after seven runs on one day, nor if it jumps between them", () => {
    const { run, runDaily } = machine();
    run(start);
    for (let hour = 0; hour < 8; hour++) expect(run(start + 100 * day + hour * 3600)).toBe(false);
    expect(runDaily(start + 101 * day, 5)).toEqual(times(false, 5));
    expect(runDaily(start + 465 * day, 6)).toEqual(times(false, 6));
    expect(runDaily(start + 300 * day, 6)).toEqual(times(false, 6));
    expect(run(start + 306 * day)).toBe(true);
  });

  test("although a machine without a battery starts in 1970, or at its last hour, each time", () => {
    const { run } = machine();
    for (const now of daysFrom(start, 40)) expect([run(30), run(now)]).toEqual([true, true]);
    const off = machine();
    off.run(start);
    const runs = daysFrom(start + 100 * day, 7).map((now) => [off.run(now - 3600), off.run(now)]);
    expect(runs.at(-1)).toContain(true);
  });
});

test("times in the future, and times written with an implausible clock, never count", () => {
  const { run } = machine();
  run(start, [start + 365 * day]);
  expect(run(start + 365 * day, [start + 365 * day])).toBe(false);
  expect(run(start + day, [start + 365 * day])).toBe(true);
  expect(run(start + 370 * day, [start + 365 * day])).toBe(false);
});

test("a plausible clock is 30 days at most after an earlier plausible run, unless it was steady for 7 days", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 500 }), { maxLength: 30 }), (days) => {
      const { run } = machine();
      let [trusted, steady] = [[start], [] as number[]];
      run(start);
      for (const now of days.map((each) => start + each * day)) {
        const last = steady.at(-1);
        steady = last !== undefined && now >= last - day && now - last <= 30 * day ? [...steady, now] : [now];
        if (!run(now)) continue;
        const isNear = now < start || trusted.some((time) => now <= time + 30 * day);
        expect(isNear || new Set(steady).size >= 7).toBe(true);
        trusted = [...trusted, now];
      }
    }),
  );
});

test("one run deletes at most the older half of the backups, and none of the future", () => {
  expect(olderHalf([5, 3, 9, 1, 2], (time) => time, 5)).toEqual([1, 2]);
});

describe("the record of the clock", () => {
  test("has the last plausible run of each hour", () => {
    const { record } = judgeClock({}, start);
    expect(record).toEqual({ plausibleRuns: [start] });
    expect(judgeClock(record, start + 3599).record).toBe(record);
    expect(judgeClock(record, start + 3600).record).toEqual({ plausibleRuns: [start + 3600] });
  });

  test("keeps the last three runs that are later, because one of the clocks was wrong", () => {
    const later = [4, 5, 6, 7].map((days) => start + days * day);
    expect(judgeClock({ plausibleRuns: [start, ...later] }, start + day).record).toEqual({
      plausibleRuns: [start + day, ...later.slice(0, 3)],
    });
  });

  test("of an implausible clock has the newest time before it, and the first run of each day", () => {
    const first = start + 100 * day;
    const { record } = judgeClock({ plausibleRuns: [start] }, first, [start + 5, start + 200 * day]);
    expect(record).toEqual({ plausibleRuns: [start], doubt: { base: start + 5, runs: [first] } });
    expect(judgeClock(record, first + 60).record).toBe(record);
    expect(judgeClock(record, first + day).record.doubt?.runs).toEqual([first, first + day]);
    expect(judgeClock(record, first - day).record.doubt?.runs).toEqual([first]);
    expect(judgeClock(record, first - day - 1).record.doubt?.runs).toEqual([first - day - 1]);
    expect(judgeClock(record, first + 30 * day).record.doubt?.runs).toEqual([first, first + 30 * day]);
    expect(judgeClock(record, first + 30 * day + 1).record.doubt?.runs).toEqual([first + 30 * day + 1]);
  });

  test("changes neither before 2024 nor before the newest time that is known", () => {
    const record = { plausibleRuns: [5], doubt: { base: start, runs: [start + 90 * day] } };
    for (const now of [30, Date.UTC(2024, 0) / 1000 - 1, start - 1]) {
      expect(judgeClock(record, now)).toEqual({ permit: { now }, record });
      expect(judgeClock(record, now).record).toBe(record);
    }
    expect(judgeClock({}, Date.UTC(2024, 0) / 1000 - 1).record).toEqual({});
    expect(judgeClock({}, Date.UTC(2024, 0) / 1000).record).toEqual({ plausibleRuns: [Date.UTC(2024, 0) / 1000] });
  });

  test("is described with the newest time before, what is not erased, and how the clock is confirmed", () => {
    expect(describeDoubt({ base: start, runs: [1, 2] })).toBe(
      "the clock of this machine is implausible: the newest time seen before is 2026-01-01T12:00:00.000Z. Nothing is erased by age: the trash grows, and backups may contain deleted accounts for more than 35 days. If the clock is right, run readinglist clock confirm; otherwise it is confirmed after 7 steady daily runs (2 so far)",
    );
  });
});
