import { TransactWriteCommand, type TransactWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import type { Application } from "@reading-list/core/ports.ts";
import { type ApiKeyRecord, putsOfApiKey } from "./api-keys.ts";
import { readBatch, walkPartition } from "./batches.ts";
import type { Table } from "./client.ts";
import { retryConflicts } from "./conflicts.ts";
import { hashedApiKeyKey, keyListing } from "./keys.ts";

/** A key that an operator looks at: its record, and the hash that stands for it. */
export interface ListedApiKey extends ApiKeyRecord {
  keyHash: string;
}

/** A change to a key's record: attributes to set, `undefined` to remove one. */
export type ApiKeyChange = Partial<Record<"userLimit" | "keyLimit" | "replaced", number | undefined>> & {
  status?: Application["status"];
};

/** Every API key, oldest first, with the one in use last of its application's. */
export async function listApiKeys(table: Table): Promise<ListedApiKey[]> {
  const hashes: string[] = [];
  for await (const records of walkPartition(table, keyListing)) {
    hashes.push(...records.map(({ keyHash }) => keyHash as string));
  }
  const byPartition = new Map(hashes.map((keyHash) => [hashedApiKeyKey(keyHash).pk, keyHash]));
  const records = await readBatch(table, hashes.map(hashedApiKeyKey));
  return records
    .map(({ pk, sk: _, ...record }) => ({
      ...(record as unknown as ApiKeyRecord),
      keyHash: byPartition.get(pk as string) ?? "",
    }))
    .sort((one, other) => one.created - other.created || endOf(one) - endOf(other));
}

/** Of keys made in one second the one in use comes last. */
const endOf = ({ replaced = Number.POSITIVE_INFINITY }: ApiKeyRecord) => replaced;

/** Keys that one transaction can change. */
const changesAtOnce = 97;

/** Writes a new API key and changes others, all or nothing. */
export async function createApiKey(
  table: Table,
  apiKey: string,
  record: ApiKeyRecord,
  changes: readonly [keyHash: string, ApiKeyChange][] = [],
): Promise<void> {
  await write(table, [...putsOfApiKey(table.tableName, apiKey, record), ...updatesOf(table, changes)]);
}

/** Changes the records of API keys, all or nothing. */
export async function changeApiKeys(table: Table, changes: readonly [keyHash: string, ApiKeyChange][]): Promise<void> {
  if (changes.length > 0) await write(table, updatesOf(table, changes));
}

async function write({ client }: Table, writes: NonNullable<TransactWriteCommandInput["TransactItems"]>) {
  await retryConflicts(() => client.send(new TransactWriteCommand({ TransactItems: writes })));
}

function updatesOf({ tableName }: Table, changes: readonly [keyHash: string, ApiKeyChange][]) {
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
