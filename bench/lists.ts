import { randomUUID } from "node:crypto";
import { BatchWriteCommand, QueryCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { Item } from "@reading-list/core/domain/item.ts";
import { itemIdOf } from "@reading-list/core/domain/item-id.ts";
import { type Clock, secondsOf } from "@reading-list/core/ports.ts";
import { deleteBatch } from "@reading-list/store/batches.ts";
import type { Table } from "@reading-list/store/client.ts";
import { recordOf } from "@reading-list/store/item-records.ts";
import { changeKey, firstKeyAfter, listEnd, userKey } from "@reading-list/store/keys.ts";
import { tableDefinition } from "@reading-list/store/table-definition.ts";
import type { Account, ServiceClient } from "@reading-list/testing/client.ts";
import { itemsIn } from "./items-in.ts";

/** Items that one `send` writes atomically. */
export const itemsOfSend = 99;

/** A new page, with a URL and a title of usual length. */
export function newPage(): { url: string; title: string } {
  const id = randomUUID();
  return {
    url: `https://news.example.com/2026/11/21/an-article-about-something/${id}`,
    title: `An article about something that happened today, as told by the news (${id.slice(0, 8)})`,
  };
}

/** A batch of new pages, as a parameter of `send`. */
export function newPages(): { new: string } {
  return { new: JSON.stringify(Array.from({ length: itemsOfSend }, newPage)) };
}

/** Credentials of a new user. */
export const newAccount = (): Account => ({ username: randomUUID().slice(0, 18), password: "correct horse" });

/** Registers new users. */
export async function signUp(service: ServiceClient, users: number): Promise<Account[]> {
  const accounts = Array.from({ length: users }, newAccount);
  for (const account of accounts) await service.ok("signup", { ...account });
  return accounts;
}

/** A list as it was written to the table. */
export interface SeededList {
  account: Account;
  items: number;
  unread: number;
  /** `time_updated` of the newest item, the only one of its second. */
  newestAt: number;
}

/** One in so many items of a seeded list is unread. */
export const oneUnreadOf = 10;
const secondsApart = 60;
const recordsPerBatch = 25;
const batchesAtOnce = 8;

/**
 * Creates a user and writes the list directly to the table, in a tenth of the time of calls. One in ten items is
 * unread; each has a different second. Throws an error unless the service returns this list.
 */
export async function seedList(
  service: ServiceClient,
  table: Table,
  items: number,
  clock: Clock = Date,
): Promise<SeededList> {
  const [account] = (await signUp(service, 1)) as [Account];
  const list = { account, items, unread: Math.ceil(items / oneUnreadOf), newestAt: secondsOf(clock) - 1 };
  for (let start = 0; start < items; start += batchesAtOnce * recordsPerBatch) {
    const batches: number[] = [];
    for (let at = start; at < Math.min(items, start + batchesAtOnce * recordsPerBatch); at += recordsPerBatch) {
      batches.push(at);
    }
    await Promise.all(batches.map((at) => writeBatch(table, list, at)));
  }
  await writeCounts(table, list);
  const { body: stats } = await service.ok("stats", { ...account });
  const { body: newest } = await service.ok("get", { ...account, count: "1" });
  const isSeen =
    stats.includes(`"count_list":"${items}"`) &&
    stats.includes(`"count_unread":"${list.unread}"`) &&
    itemsIn(newest) === 1 &&
    newest.includes(`"time_updated":"${list.newestAt}"`);
  if (!isSeen) throw new Error(`a list of ${items} was written, but the service sees ${stats} and ${newest}`);
  return list;
}

/** A record of a new page, as the service writes it. */
export function newItemRecord(username: string, state: Item["state"], timeUpdated: number) {
  const page = newPage();
  return recordOf(username, {
    ...page,
    itemId: itemIdOf(page.url),
    tags: "",
    state,
    applicationId: "local",
    refId: undefined,
    isDeleted: false,
    timeAdded: timeUpdated,
    timeUpdated,
    changeKey: changeKey(timeUpdated, 0, 0),
  });
}

/** Positions in a list are counted from its newest item. */
async function writeBatch({ client, tableName }: Table, list: SeededList, firstPlace: number): Promise<void> {
  const { account, items, newestAt } = list;
  const places = Array.from({ length: Math.min(recordsPerBatch, items - firstPlace) }, (_, i) => firstPlace + i);
  const puts = places.map((place) => {
    const state = place % oneUnreadOf === 0 ? "0" : "1";
    return { PutRequest: { Item: newItemRecord(account.username, state, newestAt - secondsApart * place) } };
  });
  const { UnprocessedItems } = await client.send(new BatchWriteCommand({ RequestItems: { [tableName]: puts } }));
  if (UnprocessedItems?.[tableName]) throw new Error("the database left records unwritten");
}

async function writeCounts({ client, tableName }: Table, { account, items, unread, newestAt }: SeededList) {
  await client.send(
    new UpdateCommand({
      TableName: tableName,
      Key: userKey(account.username),
      UpdateExpression:
        "SET countUnread = :unread, countRead = :read, changedAt = :time, newestUnread = :one, newestRead = :none",
      ExpressionAttributeValues: {
        ":unread": unread,
        ":read": items - unread,
        ":time": newestAt,
        // The newest item is unread and the only one of its second.
        ":one": 1,
        ":none": 0,
      },
    }),
  );
}

/** Removes the items that calls have added to a list, so that it keeps its size. */
export async function takeBackAdditions(table: Table, list: SeededList): Promise<void> {
  const { pk } = userKey(list.account.username);
  const { Items = [] } = await table.client.send(
    new QueryCommand({
      TableName: table.tableName,
      IndexName: tableDefinition.indexes.byTime.name,
      ConsistentRead: true,
      KeyConditionExpression: "pk = :pk AND changed BETWEEN :first AND :last",
      ExpressionAttributeValues: { ":pk": pk, ":first": firstKeyAfter(list.newestAt), ":last": listEnd },
    }),
  );
  await deleteBatch(
    table,
    Items.map(({ sk }) => ({ pk, sk })),
  );
  await writeCounts(table, list);
}

/** Removes walks and cursors, so that the next page is fetched without a previous one. */
export async function forgetPages({ client, tableName }: Table, { account }: SeededList): Promise<void> {
  await client.send(
    new UpdateCommand({
      TableName: tableName,
      Key: userKey(account.username),
      UpdateExpression: "REMOVE walks, cursors",
    }),
  );
}
