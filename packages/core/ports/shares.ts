// SPDX-License-Identifier: MIT

import type { Share } from "../domain/share.ts";
import type { ClosedUser } from "./users.ts";

/** The shares of users (docs/api.md 4.17). */
export interface ShareStore {
  /** Adds a share; false if the user has `maxShares`. Throws `unauthorized` if the user was deleted. */
  add(user: ClosedUser, share: Share): Promise<boolean>;
  /** Oldest first. */
  list(user: ClosedUser): Promise<Share[]>;
  /** The share of a token, and the name of its user, who may have been deleted. */
  find(token: string): Promise<{ username: string; share: Share } | undefined>;
  /** Stores another state of a share; false if it is gone. */
  replace(user: ClosedUser, share: Share): Promise<boolean>;
  /** Ends a share; false if the id is unknown. */
  remove(user: ClosedUser, id: string): Promise<boolean>;
}
