import { createHash } from "node:crypto";
import { count, deadlineSignal, retries } from "../call-scope.ts";
import { type Change, planWrites } from "../domain/changes.ts";
import type { Item, ItemWrite } from "../domain/item.ts";
import { isTooFarAhead } from "../domain/user-clock.ts";
import { listIsBusy, ServiceError } from "../errors.ts";
import {
  type Application,
  type BatchProgress,
  type Dependencies,
  secondsOf,
  type User,
  type WritableList,
  writesAtOnce,
} from "../ports.ts";

const itemIdsOf = (changes: readonly Change[]) => [...new Set(changes.map((change) => change.itemId))];

/** The stored items that `changes` name. */
export function findItems(
  deps: Dependencies,
  username: string,
  changes: readonly Change[],
): Promise<Map<string, Item>> {
  return deps.items.find(username, itemIdsOf(changes));
}

/**
 * Applies changes to a user's list in order. Up to `writesAtOnce` items are written atomically. More are written in
 * steps; the user's record has the progress, so that a retry of the same request continues there.
 *
 * `existing` are the items as read earlier. If another writer has changed one of them since, the changes are planned
 * again on the new state (optimistic locking). Throws `unavailable` at the call's deadline.
 */
export async function applyChanges(
  deps: Dependencies,
  { user, application }: { user: User; application: Application },
  changes: readonly Change[],
  existing: ReadonlyMap<string, Item>,
): Promise<void> {
  const batch = createBatch(changes, application.id);
  let rest = batch.restOf(user.unfinished);
  let list: WritableList = user;
  let items = existing;
  let isStale = false;
  for await (const _ of retries()) {
    if (isTooFarAhead(secondsOf(deps.clock), list.clock)) continue;
    if (isStale) {
      count("conflictsRetried");
      items = await findItems(deps, user.username, rest);
    }
    const writes = planWrites(items, rest, application.id);
    isStale = false;
    for (let start = 0; start < writes.length && !isStale; start += writesAtOnce) {
      if (start > 0 && deadlineSignal()?.aborted) throw cutShort();
      const step = writes.slice(start, start + writesAtOnce);
      const last = start + writesAtOnce >= writes.length;
      const progress = last ? undefined : batch.progressAfter(step);
      const outcome = await deps.items.write(list, step, secondsOf(deps.clock), progress);
      list = outcome.list;
      isStale = outcome.kind === "stale";
      if (!isStale && progress) rest = batch.restOf(progress);
    }
    if (!isStale) return;
  }
  throw listIsBusy();
}

const cutShort = () =>
  new ServiceError(
    "unavailable",
    "time ran out after a part of the entries; send the same request again for the rest",
    {
      retryAfter: 1,
    },
  );

/** The changes of one request, by item in the order in which `planWrites` writes them. */
function createBatch(changes: readonly Change[], applicationId: string) {
  let order: Map<string, number> | undefined;
  const placeOf = (itemId: string): number => {
    if (!order) {
      const itemIds = new Set<string>();
      for (const change of changes) {
        if (change.kind === "add") itemIds.delete(change.itemId);
        itemIds.add(change.itemId);
      }
      order = new Map([...itemIds].map((id, place) => [id, place]));
    }
    return order.get(itemId) ?? 0;
  };
  let hash: string | undefined;
  const digest = () => {
    hash ??= createHash("sha256")
      .update(JSON.stringify([applicationId, changes]))
      .digest("base64url");
    return hash;
  };
  return {
    /** The changes still to carry out, if `progress` is of this very request; else all. */
    restOf: (progress: BatchProgress | undefined) =>
      progress && changes.length > writesAtOnce && progress.digest === digest()
        ? changes.filter(({ itemId }) => placeOf(itemId) >= progress.done)
        : changes,
    progressAfter: (step: readonly ItemWrite[]): BatchProgress => ({
      digest: digest(),
      done: placeOf(step.at(-1)?.after.itemId ?? "") + 1,
    }),
  };
}
