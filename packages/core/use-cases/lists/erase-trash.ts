// SPDX-License-Identifier: MIT

import { deadlineSignal } from "../../call-scope.ts";
import type { ErasePermit } from "../../domain/clock-check.ts";
import { type Item, trashKeptSeconds } from "../../domain/item.ts";
import { nextTurn } from "../../domain/turns.ts";
import type { ArticleStore } from "../../ports/articles.ts";
import { type TrashStore, writesAtOnce } from "../../ports/items.ts";
import type { ClosedUser } from "../../ports/users.ts";
import { eraseHighlights, type HighlightPorts } from "./save-highlights.ts";

/** The ports of the erasure of items. */
export interface ErasurePorts extends HighlightPorts {
  trash: Pick<TrashStore, "walk" | "erase">;
  articles: Pick<ArticleStore, "delete">;
}

/**
 * Erases items of the trash for good, with all that belongs to them. Their own content is the last: until then an erasure
 * that was interrupted is found and repeated.
 */
export async function eraseItems(needs: ErasurePorts, user: ClosedUser, items: readonly Item[]): Promise<void> {
  if (items.length === 0) return;
  const itemIds = items.map(({ itemId }) => itemId);
  await needs.articles.delete(user, itemIds);
  await eraseHighlights(needs, user, itemIds);
  await needs.trash.erase(user, items);
}

/** Erases the named items, if they are in the trash, in steps; calls `afterStep` after each. */
export async function eraseByIds(
  deps: ErasurePorts,
  user: ClosedUser,
  itemIds: readonly string[],
  afterStep: () => void = () => {},
): Promise<void> {
  for (let start = 0; start < itemIds.length; start += writesAtOnce) {
    if (start > 0) await nextTurn();
    const found = await deps.items.find(user.username, itemIds.slice(start, start + writesAtOnce));
    await eraseItems(
      deps,
      user,
      [...found.values()].filter(({ trashedState }) => trashedState !== undefined),
    );
    afterStep();
  }
}

/**
 * Erases pages that have been in the trash for 30 days, for all users, until the call's deadline. Throws the first
 * error after it has tried all of them.
 */
export async function eraseOldTrash(
  stores: Omit<ErasurePorts, "clock"> & { trash: Pick<TrashStore, "due"> },
  { now }: ErasePermit,
): Promise<void> {
  const needs = { ...stores, clock: { now: () => now * 1000 } };
  const failures: unknown[] = [];
  const upTo = now - trashKeptSeconds;
  for await (const { user, settle } of needs.trash.due(upTo)) {
    await eraseUpTo(needs, user, upTo)
      .then(settle)
      .catch((error) => failures.push(error));
    if (deadlineSignal()?.aborted) return;
  }
  if (failures.length > 0) throw failures[0];
}

async function eraseUpTo(needs: ErasurePorts, user: ClosedUser, upTo: number): Promise<void> {
  for await (const items of needs.trash.walk(user, { upTo, order: "oldestFirst" })) {
    await eraseItems(needs, user, items);
  }
}
