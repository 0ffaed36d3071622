import { type Change, planWrites } from "../domain/changes.ts";
import type { Item, ItemWrite } from "../domain/item.ts";
import { listIsBusy } from "../errors.ts";
import { attempts } from "../patience.ts";
import {
  type Application,
  type Dependencies,
  secondsOf,
  type User,
  type WritableList,
  writesAtOnce,
} from "../ports.ts";
import { count } from "../tally.ts";

/** The items that `changes` name, as they stand now. */
export function findItems(
  deps: Dependencies,
  username: string,
  changes: readonly Change[],
): Promise<Map<string, Item>> {
  return deps.items.find(username, [...new Set(changes.map((change) => change.itemId))]);
}

/**
 * Carries out changes of a user's list in order. Up to `writesAtOnce` items are written all or nothing; more go in as
 * many steps, in order, and a retry of the request completes what a failure cut short.
 *
 * `existing` is what was read of the items before; where another writer has changed one of them since, the changes are
 * planned again on what it left.
 */
export async function applyChanges(
  deps: Dependencies,
  call: { user: User; application: Application },
  changes: readonly Change[],
  existing: ReadonlyMap<string, Item>,
): Promise<void> {
  let items = existing;
  const written = new Set<string>();
  for await (const attempt of attempts()) {
    if (attempt > 1) {
      count("conflictsRetried");
      items = await findItems(deps, call.user.username, changes);
    }
    const writes = planWrites(items, changes, call.application.id).filter(({ after }) => !written.has(after.itemId));
    if (await writeInSteps(deps, call.user, writes, written)) return;
  }
  throw listIsBusy();
}

/** False where another writer was faster; what was written until then is in `written`. */
async function writeInSteps(
  deps: Dependencies,
  user: User,
  writes: readonly ItemWrite[],
  written: Set<string>,
): Promise<boolean> {
  let list: WritableList = user;
  for (let start = 0; start < writes.length; start += writesAtOnce) {
    const step = writes.slice(start, start + writesAtOnce);
    const after = await deps.items.write(list, step, secondsOf(deps.clock));
    if (after === "stale") return false;
    list = after;
    for (const { after } of step) written.add(after.itemId);
  }
  return true;
}
