// SPDX-License-Identifier: MIT

import { FetchError } from "./fetch/fetch-error.ts";

/** The result of work that has so many milliseconds; its signal is aborted with a FetchError after that time. */
export async function withDeadline<T>(deadlineMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(tooSlow()), deadlineMs);
  try {
    return await work(deadline.signal);
  } finally {
    clearTimeout(timer);
    deadline.abort();
  }
}

const tooSlow = () => new FetchError("takes too long to answer", { isTemporary: true });

/** Rejects when `signal` is aborted. undici may never settle an aborted request, for example after an unrequested 101. */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason));
    promise.then(resolve, reject);
  });
}
