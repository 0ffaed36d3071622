import { tableDefinition } from "@reading-list/store/table-definition.ts";
import type { StageSettings } from "./settings.ts";

/** The one table, on demand and with point-in-time recovery, as SST makes every table. */
export function createTable({ deletionProtection }: StageSettings): sst.aws.Dynamo {
  const { partitionKey, sortKey, index, ttl } = tableDefinition;
  return new sst.aws.Dynamo("ReadingList", {
    fields: { [partitionKey]: "string", [sortKey]: "string", [index.sortKey]: "string" },
    primaryIndex: { hashKey: partitionKey, rangeKey: sortKey },
    localIndexes: { [index.name]: { rangeKey: index.sortKey, projection: "all" } },
    ttl,
    deletionProtection,
  });
}
