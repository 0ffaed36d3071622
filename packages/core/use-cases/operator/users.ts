// SPDX-License-Identifier: MIT

import { operatorUsers } from "../../contract/operator.ts";
import { ServiceError } from "../../errors.ts";
import { unixTime } from "../../ports/clock.ts";
import type { ListedUser } from "../../ports/operator.ts";
import { deleteInCall } from "../accounts/delete-user.ts";
import { defineOperatorEndpoint } from "./define.ts";

/** Users of one answer. */
const mostUsers = 1000;

const accountState = ({ deletingSince, moving }: ListedUser) =>
  deletingSince !== undefined ? "deleting" : moving ? "moving" : "active";

/** Lists or deletes users (docs/api.md 13.1). */
export const endpoint = defineOperatorEndpoint(operatorUsers, async (deps, input, caller) => {
  const { administration, records, clock } = deps;
  if (input.delete !== undefined) {
    const found = await records.findUser(input.delete);
    if (!found) throw new ServiceError("invalid", "operator/users: delete must be the name of a user");
    if (found.userId === caller.user.userId) {
      throw new ServiceError("invalid", "operator/users: delete must not be yourself; use delete_account");
    }
    const { username, userId } = found;
    await deleteInCall(records, records.articles, { username, userId }, unixTime(clock));
    return undefined;
  }
  const count = Math.min(input.count ?? mostUsers, mostUsers);
  const skip = input.count === undefined ? 0 : ((input.page ?? 1) - 1) * count;
  const { total, users } = await administration.listUsers({ skip, count, search: input.search ?? "" });
  const list = users.map((user) => ({
    id: user.username,
    time_created: String(user.userSince),
    count_unread: String(user.countUnread),
    count_read: String(user.countRead),
    articles: String(user.articles),
    article_bytes: String(user.articleBytes),
    operator: user.isOperator ? "1" : "0",
    state: accountState(user),
  }));
  return { fields: { status: "1", total: String(total) }, list: [list] };
});
