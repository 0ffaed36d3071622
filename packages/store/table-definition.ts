import type { CreateTableCommandInput } from "@aws-sdk/client-dynamodb";

/**
 * The one table: its keys, the index over `time_updated`, and the attribute that lets records expire. `stacks/table.ts`
 * deploys it, `createTableInput` makes it on an embedded database.
 */
export const tableDefinition = {
  partitionKey: "pk",
  sortKey: "sk",
  /** A local index: unlike a global one it can be read consistently, so that sync never misses a change. */
  index: { name: "byTime", sortKey: "listed" },
  ttl: "expires",
} as const;

/** The table as DynamoDB's API creates it. */
export function createTableInput(tableName: string): CreateTableCommandInput {
  const { partitionKey, sortKey, index } = tableDefinition;
  return {
    TableName: tableName,
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: [partitionKey, sortKey, index.sortKey].map((AttributeName) => ({
      AttributeName,
      AttributeType: "S",
    })),
    KeySchema: [
      { AttributeName: partitionKey, KeyType: "HASH" },
      { AttributeName: sortKey, KeyType: "RANGE" },
    ],
    LocalSecondaryIndexes: [
      {
        IndexName: index.name,
        KeySchema: [
          { AttributeName: partitionKey, KeyType: "HASH" },
          { AttributeName: index.sortKey, KeyType: "RANGE" },
        ],
        Projection: { ProjectionType: "ALL" },
      },
    ],
  };
}
