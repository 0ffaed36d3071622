import { GetCommand } from "@aws-sdk/lib-dynamodb";
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
