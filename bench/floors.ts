import { randomUUID } from "node:crypto";
import { GetCommand, TransactWriteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { Table } from "@reading-list/store/client.ts";
import { userKey } from "@reading-list/store/keys.ts";
import type { Account } from "@reading-list/testing/client.ts";
import type { Extent } from "./extent.ts";
import { newItemRecord } from "./lists.ts";
import { measureLoad } from "./load.ts";
import { type Rate, rateOf } from "./rate.ts";
import type { Stack } from "./stack.ts";

/** Floors: lower bounds of the time of a call, by the column that compares calls with them. */
export interface Floor {
  name: string;
  column: string;
  measure: (connections: number, extent: Extent) => Promise<Rate>;
}

/** Measures the floors: the gateway with an empty handler, and single database commands. */
export function floorsOf(stack: Stack, account: Account): Floor[] {
  const { table, emptyGatewayUrl, service } = stack;
  const emptyCall = {
    url: `${emptyGatewayUrl}/v2/auth`,
    nextForm: () => service.formOf({ ...account }),
    isRight: (body: string) => body === "200 OK",
  };
  const commandFloor = (name: string, column: string, sendOne: SendOne): Floor => ({
    name,
    column,
    measure: (connections, extent) => measureCommands(table, sendOne, connections, extent),
  });
  return [
    {
      name: "floor: gateway, empty handler",
      column: "x gateway",
      measure: (connections, extent) => measureLoad({ ...emptyCall, connections }, extent),
    },
    commandFloor("floor: one GetItem", "x GetItem", async ({ client, tableName }) => {
      const key = userKey(account.username);
      const { Item } = await client.send(new GetCommand({ TableName: tableName, Key: key, ConsistentRead: true }));
      if (Item?.username !== account.username) throw new Error(`the record of ${account.username} was not found`);
    }),
    commandFloor("floor: one UpdateItem", "x UpdateItem", updateUser),
    commandFloor("floor: one TransactWriteItems of 2", "x Transact", (table, caller) =>
      updateUserAndPutItem(table, caller, 0),
    ),
  ];
}

/** Sends one command for a caller, whose name is not a user's. */
type SendOne = (table: Table, caller: string) => Promise<unknown>;

const counting = (username: string) => ({
  Key: userKey(username),
  UpdateExpression: "ADD calls :one",
  ExpressionAttributeValues: { ":one": 1 },
});

/** The command that nearly every call sends: an UpdateItem of a user's record. */
export async function updateUser({ client, tableName }: Table, username: string): Promise<void> {
  await client.send(new UpdateCommand({ TableName: tableName, ...counting(username), ReturnValues: "ALL_NEW" }));
}

/** The command of the smallest write: a TransactWriteItems of a user's record and a new unread item. */
export async function updateUserAndPutItem(
  { client, tableName }: Table,
  username: string,
  timeUpdated: number,
): Promise<void> {
  const update = { Update: { TableName: tableName, ...counting(username) } };
  const put = { Put: { TableName: tableName, Item: newItemRecord(username, "0", timeUpdated) } };
  await client.send(new TransactWriteCommand({ TransactItems: [update, put] }));
}

/** Sends commands from this process, with one sequential caller for each connection. */
async function measureCommands(
  table: Table,
  sendOne: SendOne,
  connections: number,
  { warmUpSeconds, seconds }: Extent,
): Promise<Rate> {
  const latencies: number[] = [];
  const countedFrom = performance.now() + 1000 * warmUpSeconds;
  const end = countedFrom + 1000 * seconds;
  let endedAt = countedFrom;
  const sendOn = async () => {
    const caller = randomUUID();
    while (endedAt < end) {
      const start = performance.now();
      await sendOne(table, caller);
      endedAt = performance.now();
      if (endedAt >= countedFrom) latencies.push(endedAt - start);
    }
  };
  await Promise.all(Array.from({ length: connections }, sendOn));
  return rateOf(latencies, endedAt - countedFrom);
}
