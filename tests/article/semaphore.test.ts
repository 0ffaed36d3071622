// SPDX-License-Identifier: MIT

import { Semaphore } from "@reading-list/article/semaphore.ts";
import { expect, test } from "vitest";

const { signal } = new AbortController();

test("waiters get a place in their order; one that has given up leaves the queue", async () => {
  const places = new Semaphore(1);
  await places.acquire(signal);
  const impatient = new AbortController();
  const first = places.acquire(impatient.signal);
  const second = places.acquire(signal);
  impatient.abort(new Error("given up"));
  await expect(first).rejects.toThrow("given up");
  places.release();
  await second;
});

test("a holder whose signal is aborted later takes no place from a waiter", async () => {
  const places = new Semaphore(1);
  await places.acquire(signal);
  const holder = new AbortController();
  const first = places.acquire(holder.signal);
  const second = places.acquire(signal);
  places.release();
  await first;
  holder.abort();
  places.release();
  await second;
});

test("a caller that has given up before takes no free place", async () => {
  const places = new Semaphore(1);
  await expect(places.acquire(AbortSignal.abort(new Error("given up")))).rejects.toThrow("given up");
  await places.acquire(signal);
});
