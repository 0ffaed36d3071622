import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type KeySchemaElement,
  ListTablesCommand,
} from "@aws-sdk/client-dynamodb";
import {
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  ScanCommand,
  TransactWriteCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import type { Table } from "./client.ts";
import { trialKey } from "./keys.ts";
import { tableDefinition } from "./table-definition.ts";

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

/** Differences between the deployed table and `tableDefinition`. */
export interface TableInspection {
  isActive: boolean;
  hasKeys: boolean;
  /** Names of indexes that the table lacks. */
  missingIndexes: string[];
  /** Whether DynamoDB refuses to delete it. */
  isProtected: boolean;
}

const keysOf = (schema: readonly KeySchemaElement[] = []) => schema.map(({ AttributeName }) => AttributeName).join();

/** Compares the table with `tableDefinition`. */
export async function inspectTable({ client, tableName }: Table): Promise<TableInspection> {
  const { Table: table } = await client.send(new DescribeTableCommand({ TableName: tableName }));
  const { partitionKey, sortKey, indexes } = tableDefinition;
  return {
    isActive: table?.TableStatus === "ACTIVE",
    hasKeys: keysOf(table?.KeySchema) === [partitionKey, sortKey].join(),
    missingIndexes: Object.values(indexes)
      .filter((index) => {
        const found = table?.LocalSecondaryIndexes?.find(({ IndexName }) => IndexName === index.name);
        const isSame = keysOf(found?.KeySchema) === [partitionKey, index.sortKey].join();
        return !isSame || found?.Projection?.ProjectionType !== "ALL";
      })
      .map(({ name }) => name),
    isProtected: table?.DeletionProtectionEnabled === true,
  };
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

/** The actions of IAM that an operator's commands need, tried without changing anything; returns the refused ones. */
export async function findRefusedActions({ client, tableName }: Table): Promise<string[]> {
  const TableName = tableName;
  const Key = trialKey;
  const never = { ConditionExpression: "attribute_exists(pk) AND attribute_not_exists(pk)" };
  const trials: Record<string, () => Promise<unknown>> = {
    GetItem: () => client.send(new GetCommand({ TableName, Key })),
    Query: () =>
      client.send(
        new QueryCommand({
          TableName,
          KeyConditionExpression: "pk = :pk",
          ExpressionAttributeValues: { ":pk": Key.pk },
        }),
      ),
    Scan: () => client.send(new ScanCommand({ TableName, Limit: 1 })),
    PutItem: () => client.send(new PutCommand({ TableName, Item: Key, ...never })),
    UpdateItem: () => client.send(new UpdateCommand({ TableName, Key, UpdateExpression: "REMOVE trial", ...never })),
    DeleteItem: () => client.send(new DeleteCommand({ TableName, Key, ...never })),
    ConditionCheckItem: () =>
      client.send(new TransactWriteCommand({ TransactItems: [{ ConditionCheck: { TableName, Key, ...never } }] })),
    BatchGetItem: () => client.send(new BatchGetCommand({ RequestItems: { [TableName]: { Keys: [Key] } } })),
    BatchWriteItem: () =>
      client.send(new BatchWriteCommand({ RequestItems: { [TableName]: [{ DeleteRequest: { Key } }] } })),
  };
  const refused: string[] = [];
  for (const [action, attempt] of Object.entries(trials)) {
    try {
      await attempt();
    } catch (error) {
      const { name } = error as Error;
      if (name === "AccessDeniedException") refused.push(action);
      else if (!["ConditionalCheckFailedException", "TransactionCanceledException"].includes(name)) throw error;
    }
  }
  return refused;
}

/** The database's clock in milliseconds, from the `Date` header (whole seconds); undefined without the header. */
export async function readServerTime({ client, tableName }: Table): Promise<number | undefined> {
  let date: string | undefined;
  const middleware = "readDate";
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      date = (result.response as { headers?: Record<string, string> }).headers?.date;
      return result;
    },
    { step: "deserialize", name: middleware },
  );
  try {
    await client.send(new GetCommand({ TableName: tableName, Key: trialKey }));
  } finally {
    client.middlewareStack.remove(middleware);
  }
  return date === undefined ? undefined : Date.parse(date);
}
