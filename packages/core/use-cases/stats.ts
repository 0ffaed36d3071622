import { stats } from "../contract/stats.ts";
import { defineEndpoint, type UseCase } from "./use-case.ts";

export interface ListCounts {
  username: string;
  userSince: number;
  unread: number;
  read: number;
}

/** Counts a list (docs/api.md 4.3); the counts are in the user's record. */
export const countList: UseCase<unknown, ListCounts> = {
  begin:
    () =>
    async ({ user }) => ({
      username: user.username,
      userSince: user.createdAt,
      unread: user.countUnread,
      read: user.countRead,
    }),
};

export const endpoint = defineEndpoint({
  contract: stats,
  useCase: countList,
  fieldsOf: ({ userSince, unread, read }) => ({
    fields: {
      user_since: String(userSince),
      count_list: String(unread + read),
      count_unread: String(unread),
      count_read: String(read),
    },
  }),
});
