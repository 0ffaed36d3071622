import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { GetCommand, PutCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import type { Limits } from "@reading-list/core/domain/limits.ts";
import type { ApiKeyStore, Application, Stopwatch } from "@reading-list/core/ports.ts";
import { cacheBriefly } from "./cache-briefly.ts";
import type { Table } from "./client.ts";
import { apiKeyKey, hashOfApiKey, keyListingKey } from "./keys.ts";
import { retryConflicts } from "./optimistic-locking.ts";

/** The record of an API key; an absent limit is the default. */
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

/** An API key's record, whichever version wrote it. */
export function parseApiKeyRecord({ pk: _pk, sk: _sk, ...record }: Record<string, unknown>): ApiKeyRecord {
  return { name: record.applicationId, status: "enabled", created: 0, ...record } as ApiKeyRecord;
}

/** The API keys' records (docs/data.md 1.4). */
export function createApiKeyStore({ client, tableName }: Table, stopwatch: Stopwatch, defaults: Limits): ApiKeyStore {
  const find = cacheBriefly(stopwatch, async (pk): Promise<Application | undefined> => {
    // A key that was just created must not be unknown at its first call.
    const { Item } = await client.send(
      new GetCommand({ TableName: tableName, Key: { pk, sk: "KEY" }, ConsistentRead: true }),
    );
    if (!Item) return undefined;
    const { applicationId, name, status, userLimit, keyLimit } = parseApiKeyRecord(Item);
    const limits = { user: userLimit ?? defaults.user, key: keyLimit ?? defaults.key };
    return { id: applicationId, name, status, limits };
  });
  return { find: (apiKey) => find(apiKeyKey(apiKey).pk) };
}

/** The writes of a new API key: its record, and its entry in the list of keys. */
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

/** Writes the record of an API key unless it exists, and its entry in the list of keys. */
export async function seedApiKey({ client, tableName }: Table, apiKey: string, record: ApiKeyRecord): Promise<void> {
  try {
    const TransactItems = putsOfApiKey(tableName, apiKey, record);
    await retryConflicts(() => client.send(new TransactWriteCommand({ TransactItems })));
  } catch (error) {
    const existing = error instanceof TransactionCanceledException && error.CancellationReasons?.[0]?.Item;
    if (!existing) throw error;
    const { applicationId } = parseApiKeyRecord(unmarshall(existing));
    const keyHash = hashOfApiKey(apiKey);
    await client.send(
      new PutCommand({ TableName: tableName, Item: { ...keyListingKey(applicationId, keyHash), keyHash } }),
    );
  }
}
