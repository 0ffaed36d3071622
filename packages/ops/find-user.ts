// SPDX-License-Identifier: MIT

import type { OperatorStore, UserRecord } from "@reading-list/core/ports/operator.ts";
import { CommandError } from "./failures.ts";

export const unknownUser = (username: string) =>
  new CommandError(`there is no user ${username}; check the name, and the stage or database`);

/** A user's record, even while the user is being deleted or moved. Throws a CommandError for an unknown user. */
export async function findUser(store: OperatorStore, username: string): Promise<UserRecord> {
  const user = await store.findUser(username);
  if (!user) throw unknownUser(username);
  return user;
}

/** The record of a user whose list is whole. Throws a CommandError for any other user. */
export async function findWholeUser(store: OperatorStore, username: string): Promise<UserRecord> {
  const user = await findUser(store, username);
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
