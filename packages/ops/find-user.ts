import type { Table } from "@reading-list/store/client.ts";
import { findUserRecord } from "@reading-list/store/user-records.ts";
import type { UserRecord } from "@reading-list/store/users.ts";
import { CommandError } from "./failures.ts";

export const unknownUser = (username: string) =>
  new CommandError(`there is no user ${username}; check the name, and the stage or database`);

/** A user's record, also of one who is being deleted or moved. Throws a CommandError if there is none. */
export async function findUser(table: Table, username: string): Promise<UserRecord> {
  const user = await findUserRecord(table, username);
  if (!user) throw unknownUser(username);
  return user;
}

/** The record of a user whose list is whole. Throws a CommandError if there is none. */
export async function findWholeUser(table: Table, username: string): Promise<UserRecord> {
  const user = await findUser(table, username);
  if (user.deletingSince !== undefined) {
    throw new CommandError(`${username} is being deleted; finish with readinglist users delete ${username}`);
  }
  if (user.moving) {
    throw new CommandError(
      `${username} is being moved here; finish with readinglist move, or users delete ${username}`,
    );
  }
  return user;
}
