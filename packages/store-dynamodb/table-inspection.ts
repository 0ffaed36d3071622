// SPDX-License-Identifier: MIT

import {
  DescribeContinuousBackupsCommand,
  DescribeTimeToLiveCommand,
  ListTablesCommand,
} from "@aws-sdk/client-dynamodb";
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { Table } from "./client.ts";

/** The names of the account's tables that begin with `prefix`. */
export async function listTableNames(client: DynamoDBDocumentClient, prefix: string): Promise<string[]> {
  const names: string[] = [];
  let from: string | undefined;
  do {
    const page = await client.send(new ListTablesCommand({ ...(from && { ExclusiveStartTableName: from }) }));
    names.push(...(page.TableNames ?? []).filter((name) => name.startsWith(prefix)));
    from = page.LastEvaluatedTableName;
  } while (from);
  return names;
}

/** The attribute by which records of the table expire; undefined if TTL is off. */
export async function findExpiry({ client, tableName }: Table): Promise<string | undefined> {
  const { TimeToLiveDescription: found } = await client.send(new DescribeTimeToLiveCommand({ TableName: tableName }));
  return found?.TimeToLiveStatus === "ENABLED" || found?.TimeToLiveStatus === "ENABLING"
    ? found.AttributeName
    : undefined;
}

/**
 * Whether the table can be restored to any second of the last weeks; undefined for a database that has no backups, such
 * as the embedded one.
 */
export async function hasPointInTimeRecovery({ client, tableName }: Table): Promise<boolean | undefined> {
  try {
    const answer = await client.send(new DescribeContinuousBackupsCommand({ TableName: tableName }));
    const recovery = answer.ContinuousBackupsDescription?.PointInTimeRecoveryDescription;
    return recovery?.PointInTimeRecoveryStatus === "ENABLED";
  } catch (error) {
    if ((error as Error).name === "UnknownOperationException") return undefined;
    throw error;
  }
}
