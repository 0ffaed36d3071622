import type { OperatorStore } from "../operator-ports.ts";

/** The part of a database from which a user is deleted. */
type DeletionStore = Pick<
  OperatorStore,
  "articles" | "beginDeletion" | "findUser" | "deleteItems" | "deleteSignIns" | "deleteLoginAttempts" | "endDeletion"
>;

/** Records of a user that were deleted, by kind. */
type DeletedRecords = Record<"items" | "articles" | "signIns" | "loginAttempts", number>;

/**
 * Deletes everything of a user, or continues a deletion that was interrupted: from its begin nobody can log in with the
 * name, at its end the name is free. `show` is told the items deleted so far. Returns undefined if there is no such user.
 */
export async function deleteUser(
  store: DeletionStore,
  username: string,
  now: number,
  show: (items: number) => void = () => {},
): Promise<DeletedRecords | undefined> {
  if (!(await store.beginDeletion(username, now))) return undefined;
  const user = await store.findUser(username);
  if (user) await store.articles.deleteAll(user);
  const items = await sum(store.deleteItems(username), show);
  const signIns = await sum(store.deleteSignIns(username));
  const loginAttempts = await sum(store.deleteLoginAttempts(username));
  await store.endDeletion(username);
  return { items, articles: user?.articles ?? 0, signIns, loginAttempts };
}

async function sum(batches: AsyncIterable<number>, show = (_total: number) => {}): Promise<number> {
  let total = 0;
  for await (const batch of batches) {
    total += batch;
    show(total);
  }
  return total;
}
