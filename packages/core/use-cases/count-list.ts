import type { UseCase } from "./use-case.ts";

export interface ListCounts {
  userSince: number;
  unread: number;
  read: number;
}

/** Counts a list (docs/api.md 4.3); the counts are in the user's record. */
export const countList: UseCase<unknown, ListCounts> = {
  begin:
    () =>
    async ({ user }) => ({ userSince: user.createdAt, unread: user.countUnread, read: user.countRead }),
};
