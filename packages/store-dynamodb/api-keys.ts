// SPDX-License-Identifier: MIT

import { hashApiKey, toCallRules } from "@reading-list/core/domain/applications.ts";
import type { Limits } from "@reading-list/core/domain/limits.ts";
import type { ApiKeyStore, Application } from "@reading-list/core/ports/applications.ts";
import type { Clock } from "@reading-list/core/ports/clock.ts";
import type { ApiKeyRecord } from "@reading-list/core/ports/operator.ts";
import { cacheBriefly } from "./cache-briefly.ts";
import { readRecord, type Table } from "./client.ts";
import { apiKeyKey, keyListingKey } from "./keys.ts";

/** An API key's record, whichever version wrote it. */
export function parseApiKeyRecord({ pk: _pk, sk: _sk, ...record }: Record<string, unknown>): ApiKeyRecord {
  return { name: record.applicationId, status: "enabled", created: 0, ...record } as ApiKeyRecord;
}

/** The API keys' records (docs/data.md 1.4). */
export function createApiKeyStore(table: Table, clock: Clock, defaults: Limits): ApiKeyStore {
  const find = cacheBriefly(clock, async (pk): Promise<Application | undefined> => {
    // A key that was just created must not be unknown at its first call.
    const record = await readRecord(table, { pk, sk: "KEY" });
    if (!record) return undefined;
    const { applicationId, name, status, ...rules } = parseApiKeyRecord(record);
    return { id: applicationId, name, status, ...toCallRules(rules, defaults) };
  });
  return { find: (apiKey) => find(apiKeyKey(apiKey).pk) };
}

/** The writes of a new API key: its record, and its entry in the list of keys. */
export function createApiKeyPuts(tableName: string, apiKey: string, record: ApiKeyRecord) {
  const keyHash = hashApiKey(apiKey);
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
