import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import type { Limits } from "@reading-list/core/domain/limits.ts";
import type { ApiKeyStore, Application, Clock } from "@reading-list/core/ports.ts";
import type { Table } from "./client.ts";
import { apiKeyKey } from "./keys.ts";
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
}

/** The API keys' records (contract, "Keys, users, limits"). */
export function createApiKeyStore({ client, tableName }: Table, clock: Clock, defaults: Limits): ApiKeyStore {
  const find = rememberRecent(clock, async (pk): Promise<Application | undefined> => {
    const { Item } = await client.send(new GetCommand({ TableName: tableName, Key: { pk, sk: "KEY" } }));
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

/** Writes the record of an API key; leaves one that exists as it is. */
export async function seedApiKey({ client, tableName }: Table, apiKey: string, record: ApiKeyRecord): Promise<void> {
  const Item = { ...apiKeyKey(apiKey), ...record };
  const ConditionExpression = "attribute_not_exists(pk)";
  try {
    await client.send(new PutCommand({ TableName: tableName, Item, ConditionExpression }));
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  }
}
