// SPDX-License-Identifier: MIT

import { type Change, oppositeOf } from "./change.ts";
import type { LocalItem } from "./local-items.ts";
import type { Store } from "./store.ts";

/**
 * Queues changes; `before` are their items as they are now. Returns a function that undoes them: it removes those that
 * are not sent from the queue, and queues the opposites of the others. No sync may run meanwhile.
 */
export async function enqueueUndoable(
  store: Store,
  changes: readonly Change[],
  before: readonly (LocalItem | undefined)[],
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
    const isSent = (change: Change) => !unsent.has(JSON.stringify(change));
    await store.enqueue(changes.flatMap((change, i) => (isSent(change) ? oppositeOf(change, before[i]) : [])));
  };
}
