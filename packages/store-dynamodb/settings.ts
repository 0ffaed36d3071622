// SPDX-License-Identifier: MIT

import { DeleteCommand, GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import type { Clock } from "@reading-list/core/ports/clock.ts";
import type { SettingStore } from "@reading-list/core/ports/maintenance.ts";
import type { Maintenance } from "@reading-list/core/ports/operator.ts";
import { cacheBriefly } from "./cache-briefly.ts";
import { readRecord, type Table } from "./client.ts";
import { requireDataVersion } from "./data-version.ts";
import { dataVersionKey, maintenanceKey } from "./keys.ts";

/** The operator's settings. Both of its methods throw if this code cannot read the data of the table. */
export function createSettingStore({ client, tableName }: Table, clock: Clock): SettingStore {
  const read = async (sk: string): Promise<{ text?: string; version?: number }> => {
    const { Item } = await client.send(new GetCommand({ TableName: tableName, Key: { ...maintenanceKey, sk } }));
    return Item ?? {};
  };
  const find = cacheBriefly(clock, read);
  const place = `the table ${tableName}`;
  return {
    async maintenance() {
      const [maintenance, version] = await Promise.all([find(maintenanceKey.sk), find(dataVersionKey.sk)]);
      requireDataVersion(version, place);
      return maintenance?.text;
    },
    ping: async () => requireDataVersion(await read(dataVersionKey.sk), place),
  };
}

/** The current maintenance, read consistently; undefined if the service is up. */
export async function findMaintenance(table: Table): Promise<Maintenance | undefined> {
  const Item = await readRecord(table, maintenanceKey);
  return Item && ({ text: Item.text, since: Item.since } as Maintenance);
}

export async function beginMaintenance({ client, tableName }: Table, maintenance: Maintenance): Promise<void> {
  await client.send(new PutCommand({ TableName: tableName, Item: { ...maintenanceKey, ...maintenance } }));
}

export async function endMaintenance({ client, tableName }: Table): Promise<void> {
  await client.send(new DeleteCommand({ TableName: tableName, Key: maintenanceKey }));
}
