import { DeleteCommand, GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import type { SettingStore, Stopwatch } from "@reading-list/core/ports.ts";
import { cacheBriefly } from "./cache-briefly.ts";
import type { Table } from "./client.ts";
import { maintenanceKey } from "./keys.ts";

/** The operator's settings. */
export function createSettingStore({ client, tableName }: Table, stopwatch: Stopwatch): SettingStore {
  const find = cacheBriefly(stopwatch, async (): Promise<{ text?: string }> => {
    const { Item } = await client.send(new GetCommand({ TableName: tableName, Key: maintenanceKey }));
    return Item ?? {};
  });
  return { maintenance: async () => (await find(maintenanceKey.sk))?.text };
}

/** Maintenance: every call is answered with 503 and this text. */
export interface Maintenance {
  text: string;
  /** Unix seconds; absent if the record was not written by the command line. */
  since?: number;
}

/** The current maintenance, read consistently; undefined if the service is up. */
export async function findMaintenance({ client, tableName }: Table): Promise<Maintenance | undefined> {
  const { Item } = await client.send(
    new GetCommand({ TableName: tableName, Key: maintenanceKey, ConsistentRead: true }),
  );
  return Item && ({ text: Item.text, since: Item.since } as Maintenance);
}

export async function beginMaintenance({ client, tableName }: Table, maintenance: Maintenance): Promise<void> {
  await client.send(new PutCommand({ TableName: tableName, Item: { ...maintenanceKey, ...maintenance } }));
}

export async function endMaintenance({ client, tableName }: Table): Promise<void> {
  await client.send(new DeleteCommand({ TableName: tableName, Key: maintenanceKey }));
}
