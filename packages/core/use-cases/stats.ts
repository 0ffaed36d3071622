import { stats } from "../contract/stats.ts";
import { defineEndpoint, type UseCase } from "./use-case.ts";

export interface ListCounts {
  username: string;
  userSince: number;
  unread: number;
  read: number;
  articles: number;
  articleBytes: number;
  articleQuota: number;
}

/** Counts a list (docs/api.md 4.3); the counts are in the user's record. */
export const countList: UseCase<unknown, ListCounts> = {
  begin:
    ({ articleQuota }) =>
    async ({ user }) => ({
      username: user.username,
      userSince: user.createdAt,
      unread: user.countUnread,
      read: user.countRead,
      articles: user.articles,
      articleBytes: user.articleBytes,
      articleQuota,
    }),
};

export const endpoint = defineEndpoint({
  contract: stats,
  useCase: countList,
  fieldsOf: ({ userSince, unread, read, articles, articleBytes, articleQuota }, input) => ({
    fields: {
      user_since: String(userSince),
      count_list: String(unread + read),
      count_unread: String(unread),
      count_read: String(read),
      ...(input.articles && {
        articles: String(articles),
        article_bytes: String(articleBytes),
        article_quota: String(articleQuota),
      }),
    },
  }),
});
