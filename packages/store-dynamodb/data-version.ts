import { ResourceNotFoundException } from "@aws-sdk/client-dynamodb";
import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { SetupError } from "@reading-list/core/errors.ts";
import { readRecord, type Table } from "./client.ts";
import { dataVersionKey } from "./keys.ts";

/**
 * The version of the table's layout and records that this code reads and writes. Raise it if code of the previous
 * version could not read what this code writes, or the other way round (docs/data.md).
 */
const dataVersion = 2;

/** Throws a SetupError if code of another version wrote the table, which `place` names; false if there is no table. */
export async function checkDataVersion(table: Table, place: string): Promise<boolean> {
  try {
    const record = await readRecord(table, dataVersionKey);
    // A table that was created a moment ago, or deployed, has no record.
    const version: number = record?.version ?? dataVersion;
    if (version === dataVersion) return true;
    throw new SetupError(
      `${place} has data of version ${version}, and this version of the service reads version ${dataVersion}; install the version that wrote it`,
    );
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return false;
    throw error;
  }
}

/** Records the present data version in a table. */
export async function writeDataVersion({ client, tableName }: Table): Promise<void> {
  await client.send(new PutCommand({ TableName: tableName, Item: { ...dataVersionKey, version: dataVersion } }));
}
