// SPDX-License-Identifier: MIT

import { CreateTableCommand, ResourceInUseException, UpdateTimeToLiveCommand } from "@aws-sdk/client-dynamodb";
import type { Table } from "./client.ts";
import { checkDataVersion, writeDataVersion } from "./data-version.ts";
import { createTableInput, tableDefinition } from "./table-definition.ts";

/** Creates the table of a service that is not deployed, unless it exists. Throws a SetupError if it is of another version. */
export async function ensureTable(table: Table): Promise<void> {
  const { client, tableName } = table;
  try {
    await client.send(new CreateTableCommand(createTableInput(tableName)));
    const TimeToLiveSpecification = { AttributeName: tableDefinition.ttl, Enabled: true };
    await client.send(new UpdateTimeToLiveCommand({ TableName: tableName, TimeToLiveSpecification }));
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error;
    await checkDataVersion(table, `the table ${tableName}`);
  }
  await writeDataVersion(table);
}
