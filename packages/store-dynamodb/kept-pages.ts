// SPDX-License-Identifier: MIT

import { paginateQuery, TransactWriteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import {
  chooseKeptTime,
  isSamePage,
  isVisibleChange,
  type KeptPage,
  type KeptPageChange,
  type KeptState,
} from "@reading-list/core/domain/kept-page.ts";
import { splitList } from "@reading-list/core/domain/split-list.ts";
import { isSurelyVisible } from "@reading-list/core/domain/visible-second.ts";
import type { ArticleOwner } from "@reading-list/core/ports/articles.ts";
import { type Clock, unixTime } from "@reading-list/core/ports/clock.ts";
import { writesAtOnce } from "@reading-list/core/ports/items.ts";
import type { KeptPageStore } from "@reading-list/core/ports/kept-pages.ts";
import { readBatch, walkPartition } from "./batches.ts";
import type { Table } from "./client.ts";
import { planKeeping } from "./keeping-list.ts";
import { changedPages, duePage, keptPageKey, keptPagePrefix, pageChangeKey, parsePageKey, userKey } from "./keys.ts";
import { isFirstConditionFailed, isOtherConditionFailed, retryConflicts } from "./optimistic-locking.ts";
import { lowerWalk } from "./read-list.ts";
import { tableDefinition } from "./table-definition.ts";
import { type Attributes, parseUser, readUser, readUserRecord, type StoredUser } from "./users.ts";

const { byTime } = tableDefinition.indexes;

/** The record of a page: one JSON text, and the attributes of the index. */
interface PageRecord {
  sk: string;
  /**
   * A previous version does not delete it with its user: the records of a former user with the same name are ignored.
   */
  userId: string;
  /** Sort key of the index `byTime`: after all items and deletions. */
  changed: string;
  /** Sort key of the index `unread`, of a page with work: after all items and highlights. */
  unread?: string;
  /** A `KeptPage` without its id and its time. */
  kept: string;
}

/** The members of that text in their order: it is compared as a whole. */
const members: (keyof KeptPage)[] = [
  "state",
  "error",
  "tries",
  "nextTry",
  "site",
  "isAsked",
  "words",
  "excerpt",
  "image",
  "timeAdded",
];

const writeRecord = ({ username, userId }: ArticleOwner, page: KeptPage) => ({
  ...keptPageKey(username, page.itemId),
  userId,
  changed: pageChangeKey(page.timeUpdated, page.itemId),
  ...(page.nextTry !== undefined && { unread: duePage(page.nextTry, page.itemId) }),
  kept: JSON.stringify(page, members),
});

/** The pages of a user, without those of a former user with the same name. */
export const parsePages = ({ userId }: ArticleOwner, records: readonly object[]): KeptPage[] =>
  (records as PageRecord[])
    .filter((record) => record.userId === userId)
    .map(({ sk, changed, kept }) => ({
      state: "failed",
      error: "",
      tries: 0,
      nextTry: undefined,
      site: "",
      isAsked: false,
      timeAdded: 0,
      ...JSON.parse(kept),
      itemId: parsePageKey(sk),
      timeUpdated: parseTime(changed),
    }));

const parseTime = (changed: string) => Number(changed.slice(changedPages.length).split("#")[0]);

/** The changes of the counts in the user's record by a write of pages. */
function planPages(
  { clock }: Pick<StoredUser, "clock">,
  changes: readonly KeptPageChange[],
  now: number,
): { pages: KeptPage[]; removed: KeptPage[]; time: number; adds: Record<string, number>; newest: number } {
  const next = chooseKeptTime(now, clock);
  const isVisible = changes.some((change) => change.after && isVisibleChange(change));
  const time = isVisible ? next : clock.keptAt;
  const pages = changes.flatMap((change) => {
    const { before, after } = change;
    return after ? [{ ...after, timeUpdated: isVisibleChange(change) || !before ? next : before.timeUpdated }] : [];
  });
  const adds: Record<string, number> = {};
  const add = (page: KeptPage | undefined, number: number) => {
    if (page) adds[countByState[page.state]] = (adds[countByState[page.state]] ?? 0) + number;
  };
  for (const { before, after } of changes) {
    add(before, -1);
    add(after, 1);
  }
  const left = time === clock.keptAt ? changes.filter(({ before }) => before?.timeUpdated === time).length : 0;
  const newest = pages.filter(({ timeUpdated }) => timeUpdated === time).length - left;
  return {
    pages,
    removed: changes.flatMap(({ before, after }) => (before && !after ? [before] : [])),
    time,
    adds,
    newest,
  };
}

/** The attributes of the user's record that count pages, by state. */
const countByState: Record<KeptState, string> = { kept: "keptPages", waiting: "waitingPages", failed: "failedPages" };

/** The attributes that depend on the records of pages. */
export const attributesOfPages: readonly string[] = [...Object.values(countByState), "newestKept"];

/** The writes of a plan: the change of the user's record, as the parts of an update, and the changes of the pages. */
export function createPageWrites(
  { tableName: TableName }: Table,
  owner: ArticleOwner,
  { clock, keepingAt }: Pick<StoredUser, "clock" | "keepingAt">,
  changes: readonly KeptPageChange[],
  now: number,
) {
  const { pages, removed, time, adds, newest } = planPages({ clock }, changes, now);
  const nextTries = pages.flatMap(({ nextTry }) => nextTry ?? []);
  const keeping =
    nextTries.length > 0 ? planKeeping(TableName, { ...owner, keepingAt }, Math.min(...nextTries)) : undefined;
  const isNewTime = time !== clock.keptAt;
  const befores = new Map(changes.flatMap(({ before }) => (before ? [[before.itemId, before]] : [])));
  const ifAsSeen = (itemId: string) => {
    const before = befores.get(itemId);
    if (!before)
      return {
        ConditionExpression: "attribute_not_exists(pk) OR userId <> :userId",
        ExpressionAttributeValues: { ":userId": owner.userId },
      };
    const { changed, kept } = writeRecord(owner, before);
    return {
      ConditionExpression: "changed = :seen AND kept = :kept",
      ExpressionAttributeValues: { ":seen": changed, ":kept": kept },
    };
  };
  const added = Object.entries({ keptRevision: 1, ...adds, ...(!isNewTime && { newestKept: newest }) });
  return {
    user: {
      sets: [...(isNewTime ? ["keptAt = :keptAt", "newestKept = :newestKept"] : []), ...(keeping?.sets ?? [])],
      adds: added.map(([name]) => `${name} :add_${name}`),
      condition: `${keeping ? `${keeping.condition} AND ` : ""}${isNewTime ? "lastSince < :keptAt AND " : ""}(keptAt = :seenKeptAt${clock.keptAt === 0 ? " OR attribute_not_exists(keptAt)" : ""})`,
      values: {
        ":seenKeptAt": clock.keptAt,
        ...keeping?.values,
        ...(isNewTime && { ":keptAt": time, ":newestKept": newest }),
        ...Object.fromEntries(added.map(([name, value]) => [`:add_${name}`, value])),
      },
    },
    pages: [
      ...pages.map((page) => ({ Put: { TableName, Item: writeRecord(owner, page), ...ifAsSeen(page.itemId) } })),
      ...removed.map(({ itemId }) => ({
        Delete: { TableName, Key: keptPageKey(owner.username, itemId), ...ifAsSeen(itemId) },
      })),
      ...(keeping?.puts ?? []),
    ],
  };
}

/** Maximum pages that one transaction writes, besides the user's record and the record of the keeper's list. */
const pagesAtOnce = writesAtOnce - 1;

/**
 * The page of a record that was read; undefined if it does not exist, or belongs to a former user with the same name.
 */
export const parseOwnPage = (owner: ArticleOwner, record: Attributes | undefined): KeptPage | undefined =>
  parsePages(owner, record ? [record] : [])[0];

/** The records of pages whose times are after `after` and up to `upTo`, newest first. */
async function* query(
  { client, tableName: TableName }: Table,
  { username }: ArticleOwner,
  after: number,
  upTo: number,
  options: object = {},
) {
  if (after >= upTo) return;
  const pages = paginateQuery(
    { client },
    {
      TableName,
      IndexName: byTime.name,
      ConsistentRead: true,
      ScanIndexForward: false,
      ...options,
      KeyConditionExpression: "pk = :pk AND changed BETWEEN :first AND :last",
      ExpressionAttributeValues: {
        ":pk": userKey(username).pk,
        ":first": pageChangeKey(after + 1, ""),
        ":last": pageChangeKey(upTo, "~"),
      },
    },
  );
  for await (const { Items = [], Count = 0 } of pages) yield { records: Items, size: Count };
}

/** The records of pages whose texts are kept, or to be kept (docs/data.md 1.12). */
export function createKeptPageStore(table: Table, clock: Clock): KeptPageStore {
  const { client, tableName: TableName } = table;

  async function find(owner: ArticleOwner, itemIds: readonly string[]) {
    const keys = itemIds.map((itemId) => keptPageKey(owner.username, itemId));
    return new Map(parsePages(owner, await readBatch(table, keys)).map((page) => [page.itemId, page]));
  }

  /** The newest second whose changes are all visible: see `newestVisibleSecond`. */
  async function newestVisible(user: StoredUser): Promise<number> {
    const { lastSince, keptAt } = user.clock;
    if (isSurelyVisible(user.clock, keptAt) || user.newestKept === 0) return lastSince;
    let found = 0;
    for await (const { size } of query(table, user, keptAt - 1, keptAt, { Select: "COUNT" })) found += size;
    return found >= user.newestKept ? lastSince : keptAt - 1;
  }

  /** One transaction; undefined if a page, or the clock, has changed meanwhile. */
  async function writeOnce(owner: ArticleOwner, changes: readonly KeptPageChange[], now: number) {
    const record = await readUserRecord(table, owner.username);
    if (record?.userId !== owner.userId || record.deletingSince !== undefined) return true;
    const stored = await find(
      owner,
      changes.map(({ before, after }) => (after ?? before)?.itemId ?? ""),
    );
    const left = changes.flatMap(({ before, after }) => {
      const seen = stored.get((after ?? before)?.itemId ?? "");
      return isSamePage(seen, before) ? [{ before: seen, after }] : [];
    });
    if (left.length === 0) return true;
    const { user, pages } = createPageWrites(table, owner, parseUser(record), left, now);
    const Update = {
      TableName,
      Key: userKey(owner.username),
      UpdateExpression: `${user.sets.length > 0 ? `SET ${user.sets.join(", ")} ` : ""}ADD ${user.adds.join(", ")}`,
      ConditionExpression: `userId = :userId AND attribute_not_exists(deletingSince) AND ${user.condition}`,
      ExpressionAttributeValues: { ...user.values, ":userId": owner.userId },
    };
    return client.send(new TransactWriteCommand({ TransactItems: [{ Update }, ...pages] })).then(
      () => true,
      (error) => {
        if (isFirstConditionFailed(error) || isOtherConditionFailed(error)) return undefined;
        throw error;
      },
    );
  }

  return {
    find,

    async *walk(owner, { after = -1, upTo = Number.MAX_SAFE_INTEGER, atOnce }) {
      for await (const { records } of query(table, owner, after, upTo, atOnce === undefined ? {} : { Limit: atOnce })) {
        yield parsePages(owner, records);
      }
    },

    async *walkFailed(owner) {
      for await (const records of walkPartition(table, userKey(owner.username).pk, keptPagePrefix)) {
        yield parsePages(owner, records).filter(({ state }) => state === "failed");
      }
    },

    async counts({ username }) {
      const record = await readUserRecord(table, username);
      const of = (state: KeptState) => Number(record?.[countByState[state]] ?? 0);
      return { kept: of("kept"), waiting: of("waiting"), failed: of("failed") };
    },

    async visibleUpTo(user, beginsWalk) {
      const stored = user as StoredUser;
      const asOf = await newestVisible(stored);
      if (beginsWalk && asOf < stored.clock.lastSince) await lowerWalk(table, stored, asOf);
      return asOf;
    },

    current: (owner) => readUser(table, owner),

    async write(owner, changes, now) {
      for (const part of splitList(changes, pagesAtOnce)) await retryConflicts(() => writeOnce(owner, part, now));
    },

    async setAuto(owner, auto) {
      await retryConflicts(async () => {
        const { username, userId, keepingAt } = await readUser(table, owner);
        const keeping = planKeeping(TableName, { username, userId, keepingAt }, unixTime(clock));
        const Update = {
          TableName,
          Key: userKey(username),
          UpdateExpression: `SET ${["keepsPages = :auto", ...keeping.sets].join(", ")}`,
          ConditionExpression: `userId = :userId AND attribute_exists(passwordHash) AND ${keeping.condition}`,
          ExpressionAttributeValues: { ":auto": auto, ":userId": userId, ...keeping.values },
        };
        return client.send(new TransactWriteCommand({ TransactItems: [{ Update }, ...keeping.puts] })).then(
          () => true,
          (error) => {
            if (isFirstConditionFailed(error)) return undefined;
            throw error;
          },
        );
      });
    },
  };
}

/** Gives the pages with a later time than `upTo` that time: after a move, or if a clock was repaired. */
export async function retimePages(table: Table, { username }: ArticleOwner, upTo: number): Promise<void> {
  for await (const records of walkPartition(table, userKey(username).pk, keptPagePrefix)) {
    for (const { pk, sk, changed } of records) {
      if (parseTime(String(changed)) <= upTo) continue;
      await table.client.send(
        new UpdateCommand({
          TableName: table.tableName,
          Key: { pk, sk },
          UpdateExpression: "SET changed = :changed",
          ConditionExpression: "attribute_exists(pk)",
          ExpressionAttributeValues: { ":changed": pageChangeKey(upTo, parsePageKey(String(sk))) },
        }),
      );
    }
  }
}
