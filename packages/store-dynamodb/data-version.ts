// SPDX-License-Identifier: MIT

import { ResourceNotFoundException } from "@aws-sdk/client-dynamodb";
import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { SetupError } from "@reading-list/core/errors.ts";
import { readRecord, type Table } from "./client.ts";
import { dataVersionKey, moveTimeKey } from "./keys.ts";

/**
 * The version of the table's layout and records that this code reads and writes. Raise it if code of the previous
 * version could not read what this code writes, or the other way round (docs/data.md 6.2).
 */
export const dataVersion = 3;

/**
 * Throws a SetupError unless the table, which `place` names, has data of this version or of the previous one, which a
 * table has until no function of the previous release runs. `record`: the record of the data version, which a new table
 * does not have yet.
 */
export function requireDataVersion(record: { version?: number } | undefined, place: string): void {
  const version: number = record?.version ?? dataVersion;
  if (version === dataVersion || isPreviousVersion(version)) return;
  throw new SetupError(
    `${place} has data of version ${version}, and this version of the service reads versions ${dataVersion - 1} and ${dataVersion}; install the version that wrote this data`,
  );
}

/** The data version of a table; undefined if it has no record. Throws a SetupError if this code cannot read its data. */
export async function findDataVersion(table: Table, place: string): Promise<number | undefined> {
  const record = await readRecord(table, dataVersionKey);
  requireDataVersion(record, place);
  return record?.version;
}

export const isPreviousVersion = (version: number | undefined): boolean => version === dataVersion - 1;

/** Throws a SetupError if this code cannot read the data of the table, which `place` names; false if there is no table. */
export async function checkDataVersion(table: Table, place: string): Promise<boolean> {
  try {
    await findDataVersion(table, place);
    return true;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return false;
    throw error;
  }
}

/** Records the data version of this code in a table that has none, an older one, or the same. */
export async function writeDataVersion({ client, tableName }: Table): Promise<void> {
  await client.send(
    new PutCommand({
      TableName: tableName,
      Item: { ...dataVersionKey, version: dataVersion },
      ConditionExpression: "attribute_not_exists(pk) OR version <= :version",
      ExpressionAttributeValues: { ":version": dataVersion },
    }),
  );
}

/** When the last deployment gave all calls to new versions of the functions, in ms; 0 if it was never noted. */
export const findMoveTime = async (table: Table): Promise<number> =>
  Number((await readRecord(table, moveTimeKey))?.movedAt ?? 0);

export async function saveMoveTime({ client, tableName: TableName }: Table, movedAt: number): Promise<void> {
  await client.send(new PutCommand({ TableName, Item: { ...moveTimeKey, movedAt } }));
}
