// SPDX-License-Identifier: MIT

import type { ClosedUser } from "@reading-list/core/ports/users.ts";
import { keepingKey } from "./keys.ts";
import type { StoredUser } from "./users.ts";

/**
 * The part of a transaction that a write adds if it leaves work for the keeper: it lists the user, unless that is so
 * already. The record of an earlier list stays; the keeper removes it.
 */
export function planKeeping(
  TableName: string,
  { username, userId, keepingAt }: ClosedUser & Partial<Pick<StoredUser, "keepingAt">>,
  time: number,
) {
  const isListed = keepingAt !== undefined && keepingAt <= time;
  return {
    condition: keepingAt === undefined ? "attribute_not_exists(keepingAt)" : "keepingAt = :keepingSeen",
    sets: isListed ? [] : ["keepingAt = :keepingAt"],
    values: {
      ...(keepingAt !== undefined && { ":keepingSeen": keepingAt }),
      ...(!isListed && { ":keepingAt": time }),
    },
    puts: isListed ? [] : [{ Put: { TableName, Item: { ...keepingKey(time, userId), username } } }],
    keepingAt: isListed ? keepingAt : time,
  };
}
