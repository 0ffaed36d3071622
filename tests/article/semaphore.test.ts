// SPDX-License-Identifier: MIT

import { Semaphore } from "@reading-list/article/semaphore.ts";
import { expect, test } from "vitest";

const { signal } = new AbortController();

test("waiters get a place in order; an aborted waiter leaves the queue", async () => {
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

test("if a holder's signal is aborted later, no waiter loses a place", async () => {
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

test("a caller that was aborted before takes no place", async () => {
  const places = new Semaphore(1);
  await expect(places.acquire(AbortSignal.abort(new Error("given up")))).rejects.toThrow("given up");
  await places.acquire(signal);
});
