// SPDX-License-Identifier: MIT

import type { Replica } from "./store.ts";

/**
 * Queues changes. Returns a function that undoes them: it removes unsent changes from the queue, and queues the
 * opposites of the others, which `oppositesOf` computes from a change and its place. No sync may run meanwhile.
 */
export async function enqueueUndoable<Stored, C, State extends { sent: number }>(
  store: Replica<Stored, C, State>,
  changes: readonly C[],
  oppositesOf: (change: C, place: number) => readonly C[],
): Promise<() => Promise<void>> {
  const last = (await store.queue()).at(-1)?.id ?? 0;
  await store.enqueue(changes);
  return async () => {
    const state = await store.state();
    const contents = new Set(changes.map((change) => JSON.stringify(change)));
    const queued = (await store.queue()).filter(
      ({ id, change }) => id > Math.max(last, state.sent) && contents.has(JSON.stringify(change)),
    );
    const unsent = new Set(queued.map(({ change }) => JSON.stringify(change)));
    await store.commit({ state, dequeue: queued.map(({ id }) => id) });
    const isSent = (change: C) => !unsent.has(JSON.stringify(change));
    await store.enqueue(changes.flatMap((change, place) => (isSent(change) ? oppositesOf(change, place) : [])));
  };
}
