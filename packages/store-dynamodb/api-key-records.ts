// SPDX-License-Identifier: MIT

import { TransactWriteCommand, type TransactWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import type { ApiKeyChange, ApiKeyRecord, ListedApiKey } from "@reading-list/core/ports/operator.ts";
import { createApiKeyPuts, parseApiKeyRecord } from "./api-keys.ts";
import { readBatch, walkPartition } from "./batches.ts";
import type { Table } from "./client.ts";
import { hashedApiKeyKey, keyListing } from "./keys.ts";
import { isFirstConditionFailed, retryConflicts } from "./optimistic-locking.ts";

/** All API keys, oldest first. Of one application's keys the current one is last. */
export async function listApiKeys(table: Table): Promise<ListedApiKey[]> {
  const hashes: string[] = [];
  for await (const records of walkPartition(table, keyListing)) {
    hashes.push(...records.map(({ keyHash }) => keyHash as string));
  }
  const byPartition = new Map(hashes.map((keyHash) => [hashedApiKeyKey(keyHash).pk, keyHash]));
  const records = await readBatch(table, hashes.map(hashedApiKeyKey));
  return records
    .map((record) => ({ ...parseApiKeyRecord(record), keyHash: byPartition.get(record.pk as string) ?? "" }))
    .sort((one, other) => one.created - other.created || timeReplaced(one) - timeReplaced(other));
}

/** Breaks the tie of keys created in the same second: the current one sorts last. */
const timeReplaced = ({ replaced = Number.POSITIVE_INFINITY }: ApiKeyRecord) => replaced;

/** Keys that one transaction can change: 100 writes, without the two of a new key. */
const changesAtOnce = 98;

/** Writes a new API key and changes other keys in one transaction; false, without any write, if the key exists. */
export async function createApiKey(
  table: Table,
  apiKey: string,
  record: ApiKeyRecord,
  changes: readonly [keyHash: string, ApiKeyChange][] = [],
): Promise<boolean> {
  try {
    await write(table, [...createApiKeyPuts(table.tableName, apiKey, record), ...toUpdates(table, changes)]);
    return true;
  } catch (error) {
    if (!isFirstConditionFailed(error)) throw error;
    return false;
  }
}

/** Changes the records of API keys, all or nothing. */
export async function changeApiKeys(table: Table, changes: readonly [keyHash: string, ApiKeyChange][]): Promise<void> {
  if (changes.length > 0) await write(table, toUpdates(table, changes));
}

async function write({ client }: Table, writes: NonNullable<TransactWriteCommandInput["TransactItems"]>) {
  await retryConflicts(() => client.send(new TransactWriteCommand({ TransactItems: writes })));
}

function toUpdates({ tableName }: Table, changes: readonly [keyHash: string, ApiKeyChange][]) {
  if (changes.length > changesAtOnce) throw new Error(`more than ${changesAtOnce} keys to change at once`);
  return changes.map(([keyHash, change]) => {
    const attributes = Object.entries(change);
    const set = attributes.filter(([, value]) => value !== undefined);
    const removed = attributes.filter(([, value]) => value === undefined);
    return {
      Update: {
        TableName: tableName,
        Key: hashedApiKeyKey(keyHash),
        UpdateExpression: [
          ...(set.length > 0 ? [`SET ${set.map(([name]) => `#${name} = :${name}`).join(", ")}`] : []),
          ...(removed.length > 0 ? [`REMOVE ${removed.map(([name]) => `#${name}`).join(", ")}`] : []),
        ].join(" "),
        ConditionExpression: "attribute_exists(pk)",
        ExpressionAttributeNames: Object.fromEntries(attributes.map(([name]) => [`#${name}`, name])),
        ...(set.length > 0 && {
          ExpressionAttributeValues: Object.fromEntries(set.map(([name, value]) => [`:${name}`, value])),
        }),
      },
    };
  });
}
