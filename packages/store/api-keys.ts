import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { GetCommand, PutCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import type { Limits } from "@reading-list/core/domain/limits.ts";
import type { ApiKeyStore, Application, Clock } from "@reading-list/core/ports.ts";
import type { Table } from "./client.ts";
import { retryConflicts } from "./conflicts.ts";
import { apiKeyKey, hashOfApiKey, keyListingKey } from "./keys.ts";
import { rememberRecent } from "./recent.ts";

/** An API key as it stands in the table; a limit that is absent is the default. */
export interface ApiKeyRecord {
  applicationId: string;
  name: string;
  status: Application["status"];
  userLimit?: number;
  keyLimit?: number;
  /** Unix seconds. */
  created: number;
  /** Unix seconds at which another key of the application took its place. */
  replaced?: number;
}

/** The API keys' records (contract, "Keys, users, limits"). */
export function createApiKeyStore({ client, tableName }: Table, clock: Clock, defaults: Limits): ApiKeyStore {
  const find = rememberRecent(clock, async (pk): Promise<Application | undefined> => {
    // A key that was just made must not be unknown to its first call.
    const { Item } = await client.send(
      new GetCommand({ TableName: tableName, Key: { pk, sk: "KEY" }, ConsistentRead: true }),
    );
    if (!Item) return undefined;
    const record = Item as ApiKeyRecord;
    return {
      id: record.applicationId,
      name: record.name,
      status: record.status,
      limits: { user: record.userLimit ?? defaults.user, key: record.keyLimit ?? defaults.key },
    };
  });
  return { find: (apiKey) => find(apiKeyKey(apiKey).pk) };
}

/** The writes of a new API key: its record, and the one by which an operator finds it. */
export function putsOfApiKey(tableName: string, apiKey: string, record: ApiKeyRecord) {
  const keyHash = hashOfApiKey(apiKey);
  return [
    {
      Put: {
        TableName: tableName,
        Item: { ...apiKeyKey(apiKey), ...record },
        ConditionExpression: "attribute_not_exists(pk)",
        ReturnValuesOnConditionCheckFailure: "ALL_OLD" as const,
      },
    },
    { Put: { TableName: tableName, Item: { ...keyListingKey(record.applicationId, keyHash), keyHash } } },
  ];
}

/** Writes the record of an API key; leaves one that exists as it is, and sees to it that an operator finds it. */
export async function seedApiKey({ client, tableName }: Table, apiKey: string, record: ApiKeyRecord): Promise<void> {
  try {
    const TransactItems = putsOfApiKey(tableName, apiKey, record);
    await retryConflicts(() => client.send(new TransactWriteCommand({ TransactItems })));
  } catch (error) {
    const existing = error instanceof TransactionCanceledException && error.CancellationReasons?.[0]?.Item;
    if (!existing) throw error;
    const { applicationId } = unmarshall(existing) as ApiKeyRecord;
    const keyHash = hashOfApiKey(apiKey);
    await client.send(
      new PutCommand({ TableName: tableName, Item: { ...keyListingKey(applicationId, keyHash), keyHash } }),
    );
  }
}
