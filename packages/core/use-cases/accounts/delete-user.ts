// SPDX-License-Identifier: MIT

import { deadlineSignal, extendDeadline } from "../../call-scope.ts";
import { wrongCredentials } from "../../errors.ts";
import type { ArticleStore } from "../../ports/articles.ts";
import type { ClosedUser, DeletedUser, DeletionStore } from "../../ports/users.ts";

/** Records of a user that were deleted, by kind. */
type DeletedRecords = Record<"items" | "signIns" | "loginAttempts", number>;

type Show = (items: number) => void;

/**
 * Deletes everything of a user, or continues a deletion that was interrupted: from its start nobody can sign in with
 * the name, and at its end the name is free. Calls `show` with the number of items deleted so far. Throws
 * `unauthorized` if the user does not exist, or the password no longer matches `user`.
 */
export async function deleteUser(
  store: DeletionStore,
  articles: Pick<ArticleStore, "deleteAll">,
  user: DeletedUser,
  now: number,
  show?: Show,
): Promise<DeletedRecords> {
  if (!(await store.beginDeletion(user, now))) throw wrongCredentials();
  return deleteClosedUser(store, articles, user, now, show);
}

/** Milliseconds after which the deletion of a large list is left to `finishDeletions`. */
const callMs = 20_000;

/**
 * Closes the account of a user, and deletes as much as one call can; `finishDeletions` deletes the rest, and reports
 * repeated failures. False as `beginDeletion`.
 */
export async function deleteInCall(
  store: DeletionStore,
  articles: Pick<ArticleStore, "deleteAll">,
  user: DeletedUser,
  now: number,
): Promise<boolean> {
  extendDeadline(callMs);
  if (!(await store.beginDeletion(user, now))) return false;
  await deleteClosedUser(store, articles, user, now).catch(() => {});
  return true;
}

/** Deletes everything of a user whose deletion was begun. Several processes may do so at once. */
async function deleteClosedUser(
  store: DeletionStore,
  articles: Pick<ArticleStore, "deleteAll">,
  user: ClosedUser,
  now: number,
  show?: Show,
): Promise<DeletedRecords> {
  await articles.deleteAll(user);
  const items = await sum(store.deleteItems(user), show);
  const signIns = await sum(store.deleteSignIns(user));
  const loginAttempts = await sum(store.deleteLoginAttempts(user.username));
  await store.endDeletion(user, now);
  return { items, signIns, loginAttempts };
}

async function sum(batches: AsyncIterable<number>, show: Show = () => {}): Promise<number> {
  let total = 0;
  for await (const batch of batches) {
    total += batch;
    show(total);
  }
  return total;
}

/**
 * Continues all deletions that were interrupted, until the call's deadline. Throws the first error after it has tried all
 * of them.
 */
export async function finishDeletions(
  deletion: DeletionStore,
  articles: Pick<ArticleStore, "deleteAll">,
  now: number,
): Promise<void> {
  const failures: unknown[] = [];
  for await (const user of deletion.unfinishedDeletions(now)) {
    await deleteClosedUser(deletion, articles, user, now).catch((error) => failures.push(error));
    if (deadlineSignal()?.aborted) return;
  }
  if (failures.length > 0) throw failures[0];
}
