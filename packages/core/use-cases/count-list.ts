import type { UseCase } from "./use-case.ts";

export interface ListCounts {
  userSince: number;
  unread: number;
  read: number;
}

/** Counts a list (spec section 4.3); the counts are kept in the user's record. */
export const countList: UseCase<unknown, ListCounts> = {
  run: async (_deps, { user }) => ({ userSince: user.since, unread: user.countUnread, read: user.countRead }),
};
