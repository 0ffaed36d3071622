// SPDX-License-Identifier: MIT

import { createHash } from "node:crypto";
import { deadlineSignal, extendDeadline } from "../../call-scope.ts";
import { countDone } from "../../domain/batch-progress.ts";
import { byTimeAdded, type Change, orderItems, planWrite } from "../../domain/changes.ts";
import type { Item, ItemWrite } from "../../domain/item.ts";
import { inTurns, nextTurn } from "../../domain/turns.ts";
import { chooseSyncTime } from "../../domain/user-clock.ts";
import { listIsFull, ServiceError } from "../../errors.ts";
import type { Application } from "../../ports/applications.ts";
import { type Clock, unixTime } from "../../ports/clock.ts";
import type { Dependencies } from "../../ports/dependencies.ts";
import { type ItemStore, type WritableList, writesAtOnce } from "../../ports/items.ts";
import type { User } from "../../ports/users.ts";
import { writeItems } from "./write-items.ts";

/** The ports of changes of a list. */
export type ChangePorts = Pick<Dependencies, "clock" | "listLimit"> & { items: Pick<ItemStore, "find" | "write"> };

/** Throws `invalid` for a time after `now`, in Unix seconds; `name` says where the time was given. */
export function checkTime(now: number, time: number | undefined, name: string): void {
  if (time === undefined || time <= now) return;
  throw new ServiceError("invalid", `${name} is in the future; it must be a Unix time in seconds, not later than now`);
}

/** The latest `time_added` that the service may have returned to a user, and that it therefore accepts. */
export const latestTimeAdded = (clock: Clock, user: User): number => chooseSyncTime(unixTime(clock), user.clock);

/**
 * Deadline of a batch in ms: API Gateway's is 30 s. 10,000 new pages take 40 s of the write units that AWS allows for one
 * user, which is two tries.
 */
export const batchDeadlineMs = 27_000;

/** Items read beside the admission. The limits do not count these reads of a refused call, so they must be few. */
const prefetchedAtMost = 10;

/** Reads the items of a few changes while the call is admitted: one step in the database less. */
export function prefetchItems(
  deps: Pick<ChangePorts, "items">,
  username: string,
  changes: readonly Change[],
): Promise<ReadonlyMap<string, Item>> | undefined {
  const itemIds = new Set<string>();
  for (const { itemId } of changes) if (itemIds.add(itemId).size > prefetchedAtMost) return undefined;
  const items = deps.items.find(username, [...itemIds]);
  // Nobody awaits a prefetch if the call is refused: its rejection must not end the process then.
  items.catch(() => {});
  return items;
}

/**
 * Applies changes to a user's list in order. Changes of a few items use their `prefetched` records. Up to
 * `writesAtOnce` items are written atomically. More are read and written in steps, whose progress is recorded: a retry
 * of the same request within a day continues there. Throws `unavailable` at the call's deadline, `invalid` before the
 * first step if the list would exceed its limit.
 */
export async function applyChanges(
  deps: ChangePorts,
  { user, application }: { user: User; application: Application },
  changes: readonly Change[],
  prefetched?: Promise<ReadonlyMap<string, Item>>,
): Promise<void> {
  const itemIds = orderItems(changes);
  const isBatch = itemIds.length > writesAtOnce;
  // The order of 10,000 items, and their changes, take some 15 ms each.
  if (isBatch) await nextTurn();
  const digest = isBatch ? await digestBatch(application.id, changes) : "";
  if (isBatch) extendDeadline(batchDeadlineMs);
  const at = unixTime(deps.clock);
  const first = isBatch ? countDone(user.unfinished, digest, at) : 0;
  const changesOf = Map.groupBy(changes, ({ itemId }) => itemId);
  const plan = (ids: readonly string[], existing: ReadonlyMap<string, Item>) => {
    const writes = ids.map((id) => planWrite(existing.get(id), changesOf.get(id) ?? [], application.id, at));
    return { writes: writes.filter((write) => write !== undefined).sort(byTimeAdded) };
  };
  const size = user.countUnread + user.countRead;
  const left = itemIds.slice(first);
  // The size after all changes counts, and costs a read of all items only if the list is nearly full.
  if (size + left.length > deps.listLimit) {
    const { writes } = plan(left, await (prefetched ?? deps.items.find(user.username, left)));
    const added = sizeChange(writes);
    if (added > 0 && size + added > deps.listLimit) throw listIsFull();
  }
  let list: WritableList = user;
  for (let start = first; start < itemIds.length; start += writesAtOnce) {
    // A step that changes nothing writes nothing, so the database is not waited for.
    if (start > first) await nextTurn();
    const done = start + writesAtOnce;
    const ids = itemIds.slice(start, done);
    const step = isBatch ? { digest, done, at, isLast: done >= itemIds.length } : undefined;
    try {
      list = (await writeItems(deps, list, ids, (existing) => plan(ids, existing), step, prefetched)).list;
    } catch (error) {
      throw isBatch && deadlineSignal()?.aborted ? cutShort(error) : error;
    }
  }
}

/** Pages that writes add to a list, minus the pages that they delete. */
const sizeChange = (writes: readonly ItemWrite[]) =>
  writes.reduce(
    (sum, { before, after }) => sum + Number(!after.isDeleted) - Number(before !== undefined && !before.isDeleted),
    0,
  );

/** Names a batch, so that a retry is known. A batch may have 10 MB. */
export async function digestBatch(name: string, changes: readonly unknown[]): Promise<string> {
  const hash = createHash("sha256").update(JSON.stringify(name));
  for await (const part of inTurns(changes)) hash.update(JSON.stringify(part));
  return hash.digest("base64url");
}

export const cutShort = (cause: unknown) =>
  new ServiceError(
    "unavailable",
    "time ran out before all entries were applied; send the same request again to continue",
    { retryAfter: 1, cause },
  );
