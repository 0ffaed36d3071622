import { expectedCalls, leaseMs, leaseSize, leastRemaining } from "@reading-list/core/domain/key-lease.ts";
import { expect, test } from "vitest";

test("the expected calls are those of one second at the present rate, and at most twice as many as were made", () => {
  expect(expectedCalls(50, leaseMs, 1)).toBe(50);
  expect(expectedCalls(50, 0.75 * leaseMs, 1)).toBe(66);
  expect(expectedCalls(50, 10, 1)).toBe(100);
  expect(expectedCalls(50, 0, 0)).toBe(100);
  expect(expectedCalls(50, 4 * leaseMs, 1)).toBe(12);
});

test("one call is expected at first, and after a second without any", () => {
  expect(expectedCalls(0, Number.POSITIVE_INFINITY, 0)).toBe(1);
  expect(expectedCalls(50, leaseMs, leaseMs)).toBe(1);
});

test("a lease is for at most 1/100 of the remaining calls, or for the waiting calls, and for at least 1", () => {
  expect(leaseSize(50, 1, 10_000)).toBe(50);
  expect(leaseSize(500, 1, 10_000)).toBe(100);
  expect(leaseSize(500, 1, 199)).toBe(1);
  expect(leaseSize(500, 40, 199)).toBe(40);
  expect(leaseSize(500, 40, 30)).toBe(30);
  expect(leaseSize(500, 40, -3)).toBe(1);
});

test("a lease for expected calls needs 50 times as many remaining calls", () => {
  expect(leastRemaining(100, 1)).toBe(5000);
  expect(leastRemaining(40, 40)).toBe(40);
  expect(leastRemaining(1, 1)).toBe(1);
});
