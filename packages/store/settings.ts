import { DeleteCommand, GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import type { Clock, SettingStore } from "@reading-list/core/ports.ts";
import type { Table } from "./client.ts";
import { maintenanceKey } from "./keys.ts";
import { rememberRecent } from "./recent.ts";

/** The operator's settings. */
export function createSettingStore({ client, tableName }: Table, clock: Clock): SettingStore {
  const find = rememberRecent(clock, async (): Promise<{ text?: string }> => {
    const { Item } = await client.send(new GetCommand({ TableName: tableName, Key: maintenanceKey }));
    return Item ?? {};
  });
  return { maintenance: async () => (await find(maintenanceKey.sk))?.text };
}

/** What stands in the way of every call while the service is down for maintenance. */
export interface Maintenance {
  text: string;
  /** Unix seconds; absent where another hand wrote the record. */
  since?: number;
}

/** The maintenance that is on, as it stands now; undefined where the service is up. */
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
