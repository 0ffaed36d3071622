import { ResourceNotFoundException } from "@aws-sdk/client-dynamodb";
import { GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import type { Table } from "./client.ts";
import { dataVersionKey } from "./keys.ts";
import { inspectTable } from "./table-inspection.ts";

/**
 * The version of the table's layout and records that this code reads and writes. Raise it if code of the previous
 * version could not read what this code writes, or the other way round (docs/data.md).
 */
export const dataVersion = 2;

/** Version 0.1.0 recorded no version. */
const firstDataVersion = 1;

/** The data version of a table; undefined if there is no table. */
export async function findDataVersion(table: Table): Promise<number | undefined> {
  const { client, tableName } = table;
  try {
    const { Item } = await client.send(
      new GetCommand({ TableName: tableName, Key: dataVersionKey, ConsistentRead: true }),
    );
    if (Item) return Item.version as number;
    // A table that was created a moment ago, or deployed, has no record either.
    const { missingIndexes } = await inspectTable(table);
    return missingIndexes.length === 0 ? dataVersion : firstDataVersion;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}

/** Records the present data version in a table. */
export async function writeDataVersion({ client, tableName }: Table): Promise<void> {
  await client.send(new PutCommand({ TableName: tableName, Item: { ...dataVersionKey, version: dataVersion } }));
}
