// SPDX-License-Identifier: MIT

import { stats } from "../../contract/stats.ts";
import type { Dependencies } from "../../ports/dependencies.ts";
import type { User } from "../../ports/users.ts";
import { defineEndpoint, type UseCase } from "../use-case.ts";

type Counted = "username" | "createdAt" | "countUnread" | "countRead" | "articles" | "articleBytes";

/** Counts a list (docs/api.md 4.3); the counts are in the user's record. */
export const countList: UseCase<
  unknown,
  Pick<User, Counted> & { articleQuota: number },
  Pick<Dependencies, "articleQuota">
> = {
  begin:
    ({ articleQuota }) =>
    async ({ user: { username, createdAt, countUnread, countRead, articles, articleBytes } }) => ({
      username,
      createdAt,
      countUnread,
      countRead,
      articles,
      articleBytes,
      articleQuota,
    }),
};

export const endpoint = defineEndpoint({
  contract: stats,
  useCase: countList,
  writeFields: ({ createdAt, countUnread, countRead, articles, articleBytes, articleQuota }, input) => ({
    fields: {
      user_since: String(createdAt),
      count_list: String(countUnread + countRead),
      count_unread: String(countUnread),
      count_read: String(countRead),
      ...(input.articles && {
        articles: String(articles),
        article_bytes: String(articleBytes),
        article_quota: String(articleQuota),
      }),
    },
  }),
});
