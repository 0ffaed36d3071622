import { randomUUID } from "node:crypto";
import { BatchWriteCommand, QueryCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { Item } from "@reading-list/core/domain/item.ts";
import { itemIdOf } from "@reading-list/core/domain/item-id.ts";
import { type Clock, secondsOf } from "@reading-list/core/ports.ts";
import { deleteBatch } from "@reading-list/store/batches.ts";
import type { Table } from "@reading-list/store/client.ts";
import { itemKey, listedAfter, listedAt, userKey } from "@reading-list/store/keys.ts";
import { tableDefinition } from "@reading-list/store/table-definition.ts";
import { type Account, call, itemsIn, type ServiceAddress } from "./client.ts";

/** Items that one `send` writes all or nothing. */
export const itemsOfSend = 99;

/** A new page, with an address and a title of usual length. */
export function newPage(): { url: string; title: string } {
  const id = randomUUID();
  return {
    url: `https://news.example.com/2026/11/21/an-article-about-something/${id}`,
    title: `An article about something that happened today, as told by the news (${id.slice(0, 8)})`,
  };
}

/** A batch of new pages, as `send` takes it. */
export function newPages(): { new: string } {
  return { new: JSON.stringify(Array.from({ length: itemsOfSend }, newPage)) };
}

/** Credentials that no user has yet. */
export const newAccount = (): Account => ({ username: randomUUID().slice(0, 18), password: "correct horse" });

/** Registers users under new names. */
export async function signUp(service: ServiceAddress, users: number): Promise<Account[]> {
  const accounts = Array.from({ length: users }, newAccount);
  for (const account of accounts) await call(service, "signup", { ...account });
  return accounts;
}

/** A list that was written to the table, and has not grown since. */
export interface SeededList {
  account: Account;
  items: number;
  unread: number;
  /** `time_updated` of the newest item, which has a second of its own. */
  newestAt: number;
}

/** Of so many items of a seeded list one is unread. */
export const oneUnreadOf = 10;
const secondsApart = 60;
const recordsPerBatch = 25;
const batchesAtOnce = 8;

/**
 * Makes a user and writes their list straight to the table, which takes a tenth of the time that calls would: one item
 * of ten is unread, each has a second of its own. Throws an error unless the service sees it so.
 */
export async function seedList(
  service: ServiceAddress,
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
  const stats = await call(service, "stats", { ...account });
  const newest = await call(service, "get", { ...account, count: "1" });
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
  const itemId = itemIdOf(page.url);
  const item: Omit<Item, "refId"> = {
    itemId,
    ...page,
    tags: "",
    state,
    applicationId: "local",
    timeAdded: timeUpdated,
    timeUpdated,
    revision: 1,
  };
  return { ...itemKey(username, itemId), ...item, listed: listedAt(state, timeUpdated, itemId) };
}

/** The places of a list are counted from its newest item. */
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
        // The newest item is unread, and alone in its second.
        ":one": 1,
        ":none": 0,
      },
    }),
  );
}

/** Takes back what calls have added to a list, so that it keeps its size. */
export async function takeBackAdditions(table: Table, list: SeededList): Promise<void> {
  const { pk } = userKey(list.account.username);
  const { first, last } = listedAfter("0", list.newestAt);
  const { Items = [] } = await table.client.send(
    new QueryCommand({
      TableName: table.tableName,
      IndexName: tableDefinition.index.name,
      ConsistentRead: true,
      KeyConditionExpression: "pk = :pk AND listed BETWEEN :first AND :last",
      ExpressionAttributeValues: { ":pk": pk, ":first": first, ":last": last },
    }),
  );
  await deleteBatch(
    table,
    Items.map(({ sk }) => ({ pk, sk })),
  );
  await writeCounts(table, list);
}

/** Forgets which pages of a list its user has asked for, so that the next one comes out of the blue. */
export async function forgetPages({ client, tableName }: Table, { account }: SeededList): Promise<void> {
  await client.send(
    new UpdateCommand({
      TableName: tableName,
      Key: userKey(account.username),
      UpdateExpression: "SET walks = :none REMOVE marks",
      ExpressionAttributeValues: { ":none": {} },
    }),
  );
}
