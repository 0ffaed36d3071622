import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { Table } from "@reading-list/store/client.ts";
import { listedAfter, userKey } from "@reading-list/store/keys.ts";
import { tableDefinition } from "@reading-list/store/table-definition.ts";
import { call, itemsIn, type Parameters, type ServiceAddress } from "./client.ts";
import { updateUser, updateUserAndPutItem } from "./floors.ts";
import {
  forgetPages,
  itemsOfSend,
  newPage,
  newPages,
  oneUnreadOf,
  type SeededList,
  takeBackAdditions,
} from "./lists.ts";

/** Where calls are made: a service, and the table below it for the floors. */
export interface Side {
  service: ServiceAddress;
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
  /** Makes the call; gives the number of items in the answer. */
  run: (side: Side, list: SeededList) => Promise<number>;
  after?: (side: Side, list: SeededList) => Promise<void>;
}

const pageSize = 30;
const laterPage = 10;

/** The calls whose growth is measured, and the floors below them. */
export function growthKinds(): Kind[] {
  const asking = (parametersOf: (list: SeededList) => Parameters) => async (side: Side, list: SeededList) =>
    itemsIn(await call(side.service, "get", { ...list.account, ...parametersOf(list) }));
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
      // Of the read ones, which are nine of ten.
      fewestItems: 2 * pageSize,
      run: async ({ table: { client, tableName } }, { account }) => {
        const { first, last } = listedAfter("1", undefined);
        const query = {
          IndexName: tableDefinition.index.name,
          ConsistentRead: true,
          ScanIndexForward: false,
          KeyConditionExpression: "pk = :pk AND listed BETWEEN :first AND :last",
          ExpressionAttributeValues: { ":pk": userKey(account.username).pk, ":first": first, ":last": last },
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
      run: async ({ service }, { account }) => itemsIn(await call(service, "stats", { ...account })),
    },
    {
      name: "add, a new page",
      ...nothing,
      run: async ({ service }, { account }) => itemsIn(await call(service, "add", { ...account, ...newPage() })),
      after: takingBack,
    },
    {
      name: `send of ${itemsOfSend}`,
      ...nothing,
      run: async ({ service }, { account }) => itemsIn(await call(service, "send", { ...account, ...newPages() })),
      after: takingBack,
    },
  ];
}
