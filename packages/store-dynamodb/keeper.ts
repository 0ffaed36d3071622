// SPDX-License-Identifier: MIT

import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { Item } from "@reading-list/core/domain/item.ts";
import { afterReading, type KeptPage } from "@reading-list/core/domain/kept-page.ts";
import type { ArticleOwner } from "@reading-list/core/ports/articles.ts";
import { type Clock, unixTime } from "@reading-list/core/ports/clock.ts";
import type { KeeperStore } from "@reading-list/core/ports/kept-pages.ts";
import type { User } from "@reading-list/core/ports/users.ts";
import type { Table } from "./client.ts";
import { KeeperListing } from "./keeper-listing.ts";
import { parsePages } from "./kept-pages.ts";
import { deletedPrefix, duePage, firstKeyAfter, lastKeyUpTo, listEnd, userKey } from "./keys.ts";
import { queryItems, queryRange } from "./query-items.ts";
import { tableDefinition } from "./table-definition.ts";
import { parseUser, readUserRecord, type StoredUser } from "./users.ts";

const { unread } = tableDefinition.indexes;

/** Seconds after which all items of a write are visible. */
const visibleAfterSeconds = 5;
/** Due pages among which the next one is looked for. */
const pagesAtOnce = 100;
/** Seconds until the keeper looks again at a user whose pages it may not read because a quota is full. */
const stoppedSeconds = 1800;

/** The pages of a user that may be read now, and the unix seconds since when the oldest of them is due. */
export interface DuePages {
  pages: number;
  since: number;
}

/**
 * Users for the keeper, by the time of their next work, in a separate partition (docs/data.md 1.13). Calls `onDue` with
 * the due pages of a user.
 */
export function createKeeperStore(
  table: Table,
  clock: Clock,
  onDue?: (owner: ArticleOwner, due: DuePages) => void,
): KeeperStore {
  const { client, tableName: TableName } = table;
  const listing = new KeeperListing(table);

  async function* itemsSince({ username, notedUpTo, clock: { changedAt } }: StoredUser): AsyncGenerator<Item[]> {
    // The last second that was noted once more: it may have gone on.
    const first = firstKeyAfter(Math.min(notedUpTo, changedAt) - 1);
    const order = "oldestFirst";
    yield* queryItems(table, username, { first, last: listEnd, order });
    const last = deletedPrefix + lastKeyUpTo(Number.MAX_SAFE_INTEGER);
    yield* queryItems(table, username, { first: deletedPrefix + first, last, order });
  }

  /** The pages of a user with work, the longest due first, and of later ones perhaps the next. */
  async function pagesWithWork(owner: ArticleOwner): Promise<KeptPage[]> {
    const range = { index: unread, first: duePage(0, ""), last: duePage(Number.MAX_SAFE_INTEGER, "~") };
    const pages = queryRange(table, owner.username, { ...range, order: "oldestFirst", pageSize: pagesAtOnce });
    for await (const { Items = [] } of pages) return parsePages(owner, Items);
    return [];
  }

  return {
    // A write lists its user, so they are all among those of `usersWithWork`.
    async *changedUsers() {},

    changes: (user: User) => itemsSince(user as StoredUser),

    async setNoted({ username, userId, revision, clock: { changedAt } }) {
      // Not all items of the last seconds may have been visible: they are noted once more.
      if (changedAt > unixTime(clock) - visibleAfterSeconds) return;
      await client
        .send(
          new UpdateCommand({
            TableName,
            Key: userKey(username),
            UpdateExpression: "SET notedRevision = :revision, notedUpTo = :changedAt",
            ConditionExpression: "userId = :userId",
            ExpressionAttributeValues: { ":userId": userId, ":revision": revision, ":changedAt": changedAt },
          }),
        )
        .catch((error) => {
          if (error.name !== "ConditionalCheckFailedException") throw error;
        });
    },

    async usersWithWork(now, after, isSkipped) {
      const { users, next } = await listing.due(now, after, isSkipped);
      return { users: users.map((user) => ({ ...user, hasChanged: user.notedRevision !== user.revision })), next };
    },

    async nextWork(owner, now, { busySites, reads }) {
      const pages = await pagesWithWork(owner);
      const due = pages.filter(({ nextTry = 0 }) => nextTry <= now);
      const allowed = due.filter(
        (page) => page.state === "kept" || reads === "all" || (reads === "asked" && page.isAsked),
      );
      if (allowed.length === 0) {
        const next = due.length > 0 ? now + stoppedSeconds : pages[0]?.nextTry;
        await listing.settle(owner as StoredUser, next);
      }
      if (allowed[0]) onDue?.(owner, { pages: allowed.length, since: allowed[0].nextTry ?? now });
      return allowed.find(({ site }) => !busySites.includes(site));
    },

    async countReading({ username, userId }, now) {
      const record = await readUserRecord(table, username);
      if (record?.userId !== userId) return;
      await client.send(
        new UpdateCommand({
          TableName,
          Key: userKey(username),
          UpdateExpression: "SET keeping = :keeping",
          ConditionExpression: "attribute_exists(passwordHash)",
          ExpressionAttributeValues: { ":keeping": afterReading(parseUser(record).keeping, now) },
        }),
      );
    },
  };
}
