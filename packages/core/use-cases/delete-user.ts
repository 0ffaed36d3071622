import { wrongCredentials } from "../errors.ts";
import type { ArticleStore, DeletedUser, DeletionStore } from "../ports.ts";

/** Records of a user that were deleted, by kind. */
type DeletedRecords = Record<"items" | "signIns" | "loginAttempts", number>;

/**
 * Deletes everything of a user, or continues a deletion that was interrupted: from its begin nobody can log in with the
 * name, at its end the name is free. `show` is told the items deleted so far. Throws `unauthorized` if there is no such
 * user, or the password is another one than that of `user` meanwhile.
 */
export async function deleteUser(
  store: DeletionStore,
  articles: Pick<ArticleStore, "deleteAll">,
  user: DeletedUser,
  now: number,
  show: (items: number) => void = () => {},
): Promise<DeletedRecords> {
  const { username } = user;
  if (!(await store.beginDeletion(user, now))) throw wrongCredentials();
  await articles.deleteAll(user);
  const items = await sum(store.deleteItems(username), show);
  const signIns = await sum(store.deleteSignIns(username));
  const loginAttempts = await sum(store.deleteLoginAttempts(username));
  await store.endDeletion(username);
  return { items, signIns, loginAttempts };
}

async function sum(batches: AsyncIterable<number>, show = (_total: number) => {}): Promise<number> {
  let total = 0;
  for await (const batch of batches) {
    total += batch;
    show(total);
  }
  return total;
}
