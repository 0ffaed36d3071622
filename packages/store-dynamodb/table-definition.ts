// SPDX-License-Identifier: MIT

import { userInfo } from "node:os";
import type { CreateTableCommandInput } from "@aws-sdk/client-dynamodb";

/**
 * The one table: its keys, its two local indexes, and the attribute that lets records expire. `stacks/table.ts` deploys
 * it, `createTableInput` creates it on an embedded database. Local indexes, unlike global ones, can be read
 * consistently, which sync relies on (docs/decisions/sync.md).
 */
export const tableDefinition = {
  partitionKey: "pk",
  sortKey: "sk",
  indexes: {
    /** All items of a user in the order of their changes. */
    byTime: { name: "byTime", sortKey: "changed" },
    /** Sparse: unread items only, the filter that most clients ask for. */
    unread: { name: "unread", sortKey: "unread" },
  },
  ttl: "expires",
} as const;

/** The partitions of each kind of record, as patterns for IAM (see keys.ts). */
export const leadingKeys = {
  apiKeys: "KEY#*",
  windows: "LIMIT#*",
  logins: "LOGIN#*",
  authorizations: "AUTHORIZATION#*",
  identities: "IDENTITY#*",
  shares: "SHARE#*",
  deletions: "DELETIONS",
  deleted: "DELETED",
  trash: "TRASH",
  keeping: "KEEPING",
  pictures: "PICTURES#*",
  settings: "SETTING",
  users: "USER#*",
} as const;

/**
 * Whether a stage has the lists of real users: neither that stage nor its table can be removed then. All stages have,
 * except those whose name begins with `dev-`, and the personal stage that SST names after the person who runs it.
 */
export const keepsData = (stage: string, person = userInfo().username): boolean =>
  !stage.startsWith("dev-") && stage !== person;

/** The table as DynamoDB's API creates it. */
export function createTableInput(tableName: string): CreateTableCommandInput {
  const { partitionKey, sortKey, indexes } = tableDefinition;
  const local = Object.values(indexes);
  return {
    TableName: tableName,
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: [partitionKey, sortKey, ...local.map((index) => index.sortKey)].map((AttributeName) => ({
      AttributeName,
      AttributeType: "S",
    })),
    KeySchema: [
      { AttributeName: partitionKey, KeyType: "HASH" },
      { AttributeName: sortKey, KeyType: "RANGE" },
    ],
    LocalSecondaryIndexes: local.map((index) => ({
      IndexName: index.name,
      KeySchema: [
        { AttributeName: partitionKey, KeyType: "HASH" },
        { AttributeName: index.sortKey, KeyType: "RANGE" },
      ],
      Projection: { ProjectionType: "ALL" },
    })),
  };
}
