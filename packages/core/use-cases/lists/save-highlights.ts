// SPDX-License-Identifier: MIT

import { count, deadlineSignal, extendDeadline, retries } from "../../call-scope.ts";
import { countDone } from "../../domain/batch-progress.ts";
import {
  atPages,
  checkCounts,
  countChange,
  countHighlightBytes,
  type HighlightChange,
  type HighlightWrite,
  invalid,
  listNewItems,
  longestAtOnce,
  maxBytesOfWrite,
  maxOfItem,
  planHighlight,
} from "../../domain/highlights.ts";
import { splitList } from "../../domain/split-list.ts";
import { nextTurn } from "../../domain/turns.ts";
import { secondsToWait } from "../../domain/user-clock.ts";
import { clockIsAhead, listIsBusy } from "../../errors.ts";
import { unixTime } from "../../ports/clock.ts";
import type { Dependencies } from "../../ports/dependencies.ts";
import type { HighlightStore } from "../../ports/highlights.ts";
import { type ItemStore, writesAtOnce } from "../../ports/items.ts";
import type { ClosedUser, User } from "../../ports/users.ts";
import { batchDeadlineMs, cutShort, digestBatch } from "./apply-changes.ts";

/** The ports of changes of highlights. */
export type HighlightPorts = Pick<Dependencies, "clock"> & {
  items: Pick<ItemStore, "find">;
  highlights: HighlightStore;
};

/** The calls that changes of so many highlights count, as a `send` of as many items. */
export const countChangeCalls = (changes: readonly HighlightChange[]): number =>
  Math.max(1, Math.ceil(new Set(changes.map(({ id }) => id)).size / writesAtOnce));

/**
 * Applies changes to a user's highlights, in order. Up to `writesAtOnce` are written atomically; more in steps, whose
 * progress is recorded as in `send`. Throws `invalid` for the page of a new highlight that is neither in the list nor
 * in the trash, and for more highlights than a page or a user may have; `unavailable` at the call's deadline.
 */
export async function saveHighlights(
  deps: HighlightPorts,
  user: User,
  changes: readonly HighlightChange[],
): Promise<void> {
  const changesOf = Map.groupBy(changes, ({ id }) => id);
  const ids = [...changesOf.keys()];
  const isBatch = ids.length > writesAtOnce;
  const at = unixTime(deps.clock);
  const digest = isBatch ? await digestBatch("highlights", changes) : "";
  if (isBatch) extendDeadline(batchDeadlineMs);
  const first = isBatch ? countDone(user.unfinished, digest, at) : 0;
  const names = new Map(changes.flatMap((change) => (change.kind === "save" ? [[change.id, change.name]] : [])));
  let current = user;
  const size = isBatch ? longestAtOnce : writesAtOnce;
  for (let start = first; start < ids.length; start += size) {
    // A step that changes nothing writes nothing, so the database is not waited for.
    if (start > first) await nextTurn();
    const part = ids.slice(start, start + size);
    const done = start + part.length;
    const step = isBatch ? { digest, done, at, isLast: done === ids.length } : undefined;
    const planPart = async (of: User) => {
      const existing = await deps.highlights.find(of, part);
      const writes = part.flatMap((id) => planHighlight(existing.get(id), changesOf.get(id) ?? [], at) ?? []);
      return checkWrites(deps, of, writes, names, isBatch);
    };
    try {
      current = await writeHighlights(deps, current, planPart, step);
    } catch (error) {
      throw isBatch && deadlineSignal()?.aborted ? cutShort(error) : error;
    }
  }
}

/** The writes, checked: see `saveHighlights`. */
async function checkWrites(
  { items, highlights, clock }: HighlightPorts,
  user: User,
  writes: readonly HighlightWrite[],
  names: ReadonlyMap<string, string>,
  isBatch: boolean,
): Promise<readonly HighlightWrite[]> {
  const bytes = writes.reduce((sum, { after }) => sum + countHighlightBytes(after), 0);
  if (!isBatch && bytes > maxBytesOfWrite) {
    throw invalid("the highlights and notes of this call exceed 3.5 MB; send them in several calls");
  }
  const itemIds = listNewItems(writes);
  if (itemIds.length === 0) return writes;
  const placed = atPages(writes, await items.find(user.username, itemIds), names, unixTime(clock));
  const ofItems = await countByItem(highlights, user, itemIds, writes.length);
  checkCounts(writes, names, { ofUser: user.highlights, ofItems });
  return placed;
}

/** The numbers of highlights of items to which `added` come; empty if none can have too many, as the user has few. */
export const countByItem = async (
  highlights: HighlightStore,
  user: User,
  itemIds: readonly string[],
  added: number,
): Promise<Map<string, number>> =>
  user.highlights + added > maxOfItem ? highlights.count(user, itemIds) : new Map<string, number>();

/** Erases the highlights of items in the trash, except for items that came back meanwhile. */
export async function eraseHighlights(
  deps: HighlightPorts,
  owner: ClosedUser,
  itemIds: readonly string[],
): Promise<void> {
  let user = await deps.highlights.current(owner);
  for (const itemId of itemIds) {
    if (user.highlights === 0) return;
    for await (const found of deps.highlights.walkItem(user, itemId)) {
      for (const part of splitList(found, longestAtOnce)) {
        const ids = part.map(({ id }) => id);
        user = await writeHighlights(deps, user, async (of) => {
          if ((await deps.items.find(of.username, [itemId])).get(itemId)?.isDeleted === false) return [];
          const stored = await deps.highlights.find(of, ids);
          return ids.flatMap((id) => planHighlight(stored.get(id), [{ kind: "delete", id }], 0) ?? []);
        });
      }
    }
  }
}

/**
 * Plans writes of highlights and writes them, all or none. If something of the user has changed meanwhile, it plans again
 * (optimistic locking). Returns the user as of the write.
 */
export async function writeHighlights(
  { clock, highlights }: Pick<HighlightPorts, "clock" | "highlights">,
  user: User,
  plan: (user: User) => Promise<readonly HighlightWrite[]>,
  step?: Parameters<HighlightStore["write"]>[3],
): Promise<User> {
  let current = user;
  let waiting = 0;
  for await (const _ of retries()) {
    const now = unixTime(clock);
    waiting = secondsToWait(now, current.clock);
    if (waiting > 0) continue;
    const writes = await plan(current);
    if (writes.length === 0 && !step?.isLast) return current;
    const outcome = await highlights.write(current, writes, now, step);
    if (outcome.kind === "written") {
      return { ...current, ...outcome.list, highlights: current.highlights + countChange(writes) };
    }
    count("conflictsRetried");
    current = await highlights.current(current);
  }
  throw waiting > 0 ? clockIsAhead(waiting) : listIsBusy();
}
