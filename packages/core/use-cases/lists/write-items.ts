// SPDX-License-Identifier: MIT

import { count, retries } from "../../call-scope.ts";
import type { BatchStep } from "../../domain/batch-progress.ts";
import type { Item, ItemWrite } from "../../domain/item.ts";
import { secondsToWait } from "../../domain/user-clock.ts";
import { clockIsAhead, listIsBusy } from "../../errors.ts";
import { unixTime } from "../../ports/clock.ts";
import type { Dependencies } from "../../ports/dependencies.ts";
import type { ItemStore, WritableList } from "../../ports/items.ts";

/**
 * Reads items, unless they were `prefetched`, plans their writes and writes them, all or none. If another writer has
 * changed one of them meanwhile, it reads and plans again (optimistic locking). Returns the last plan and the list for
 * the next write. Throws `unavailable` at the call's deadline, `unauthorized` if the user was deleted.
 */
export async function writeItems<Plan extends { writes: ItemWrite[] }>(
  deps: Pick<Dependencies, "clock"> & { items: Pick<ItemStore, "find" | "write"> },
  list: WritableList,
  itemIds: readonly string[],
  plan: (existing: ReadonlyMap<string, Item>) => Plan,
  step?: BatchStep,
  prefetched?: Promise<ReadonlyMap<string, Item>>,
): Promise<{ list: WritableList; plan: Plan }> {
  let seen = list;
  let items = prefetched;
  let waiting = 0;
  for await (const _ of retries()) {
    const now = unixTime(deps.clock);
    waiting = secondsToWait(now, seen.clock);
    if (waiting > 0) continue;
    const planned = plan(await (items ?? deps.items.find(seen.username, itemIds)));
    items = undefined;
    if (planned.writes.length === 0 && !step?.isLast) return { list: seen, plan: planned };
    const outcome = await deps.items.write(seen, planned.writes, now, step);
    seen = outcome.list;
    if (outcome.kind === "written") return { list: seen, plan: planned };
    count("conflictsRetried");
  }
  throw waiting > 0 ? clockIsAhead(waiting) : listIsBusy();
}
