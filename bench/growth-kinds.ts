import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { Table } from "@reading-list/store/client.ts";
import { listEnd, userKey } from "@reading-list/store/keys.ts";
import { tableDefinition } from "@reading-list/store/table-definition.ts";
import type { Parameters, ServiceClient } from "@reading-list/testing/client.ts";
import { updateUser, updateUserAndPutItem } from "./floors.ts";
import { itemsIn } from "./items-in.ts";
import {
  forgetPages,
  itemsOfSend,
  newPage,
  newPages,
  oneUnreadOf,
  type SeededList,
  takeBackAdditions,
} from "./lists.ts";

/** A service, and its table for the floors. */
export interface Side {
  service: ServiceClient;
  table: Table;
}

/** One kind of call, made on lists of each size. */
export interface Kind {
  name: string;
  /** Items in the answer. */
  returns: number;
  /** Items that a list must have for such an answer. */
  fewestItems: number;
  before?: (side: Side, list: SeededList) => Promise<void>;
  /** Makes the call; returns the number of items in the answer. */
  run: (side: Side, list: SeededList) => Promise<number>;
  after?: (side: Side, list: SeededList) => Promise<void>;
}

const pageSize = 30;
const laterPage = 10;

/** The calls whose growth is measured, and the floors below them. */
export function growthKinds(): Kind[] {
  const asking = (parametersOf: (list: SeededList) => Parameters) => async (side: Side, list: SeededList) =>
    itemsIn((await side.service.ok("get", { ...list.account, ...parametersOf(list) })).body);
  const askingForPage = (page: (list: SeededList) => number) =>
    asking((list) => ({ count: String(pageSize), page: String(page(list)) }));
  const walking = (pages: number) => async (side: Side, list: SeededList) => {
    for (let page = 1; page <= pages; page++) await askingForPage(() => page)(side, list);
  };
  const forgetting: Kind["before"] = ({ table }, list) => forgetPages(table, list);
  const takingBack: Kind["after"] = ({ table }, list) => takeBackAdditions(table, list);
  const page = { returns: pageSize, fewestItems: pageSize };
  const nothing = { returns: 0, fewestItems: 0 };
  return [
    {
      name: "floor: one UpdateItem",
      ...nothing,
      run: ({ table }, { account }) => updateUser(table, account.username).then(() => 0),
    },
    {
      name: "floor: one TransactWriteItems of 2",
      ...nothing,
      run: ({ table }, { account, newestAt }) =>
        updateUserAndPutItem(table, account.username, newestAt + 1).then(() => 0),
      after: takingBack,
    },
    {
      name: `floor: one Query of ${pageSize}`,
      ...page,
      fewestItems: pageSize,
      run: async ({ table: { client, tableName } }, { account }) => {
        const query = {
          IndexName: tableDefinition.indexes.byTime.name,
          ConsistentRead: true,
          ScanIndexForward: false,
          KeyConditionExpression: "pk = :pk AND changed BETWEEN :first AND :last",
          ExpressionAttributeValues: { ":pk": userKey(account.username).pk, ":first": "0", ":last": listEnd },
          Limit: pageSize,
        };
        return (await client.send(new QueryCommand({ TableName: tableName, ...query }))).Items?.length ?? 0;
      },
    },
    { name: "get, nothing new", ...nothing, run: asking(({ newestAt }) => ({ since: String(newestAt) })) },
    {
      name: "get of 1 change",
      returns: 1,
      fewestItems: 1,
      run: asking(({ newestAt }) => ({ since: String(newestAt - 1) })),
    },
    { name: `get of ${pageSize}, page 1`, ...page, before: walking(1), run: askingForPage(() => 1) },
    {
      name: `get of ${pageSize}, page ${laterPage} of a walk`,
      ...page,
      fewestItems: laterPage * pageSize,
      before: walking(laterPage - 1),
      run: askingForPage(() => laterPage),
    },
    {
      name: `get of ${pageSize}, page ${laterPage} at once`,
      ...page,
      fewestItems: laterPage * pageSize,
      before: forgetting,
      run: askingForPage(() => laterPage),
    },
    {
      name: `get of ${pageSize}, last page at once`,
      ...page,
      before: forgetting,
      run: askingForPage(({ items }) => Math.floor(items / pageSize)),
    },
    {
      name: `get of ${pageSize} unread`,
      ...page,
      fewestItems: oneUnreadOf * pageSize,
      before: walking(1),
      run: asking(() => ({ count: String(pageSize), state: "unread" })),
    },
    {
      name: "stats",
      ...nothing,
      run: async ({ service }, { account }) => itemsIn((await service.ok("stats", { ...account })).body),
    },
    {
      name: "add, a new page",
      ...nothing,
      run: async ({ service }, { account }) => itemsIn((await service.ok("add", { ...account, ...newPage() })).body),
      after: takingBack,
    },
    {
      name: `send of ${itemsOfSend}`,
      ...nothing,
      run: async ({ service }, { account }) => itemsIn((await service.ok("send", { ...account, ...newPages() })).body),
      after: takingBack,
    },
  ];
}
