import { tableDefinition } from "@reading-list/store/table-definition.ts";
import type { StageSettings } from "./settings.ts";

/**
 * The one table, on demand and with point-in-time recovery, as SST makes every table. Where a restored one is to take
 * its place, that is what the service uses, and its own stays as it is.
 */
export function createTable({ deletionProtection, restoredTable }: StageSettings): sst.aws.Dynamo {
  const { partitionKey, sortKey, index, ttl } = tableDefinition;
  const own = new sst.aws.Dynamo("ReadingList", {
    fields: { [partitionKey]: "string", [sortKey]: "string", [index.sortKey]: "string" },
    primaryIndex: { hashKey: partitionKey, rangeKey: sortKey },
    localIndexes: { [index.name]: { rangeKey: index.sortKey, projection: "all" } },
    ttl,
    deletionProtection,
  });
  return restoredTable === undefined ? own : sst.aws.Dynamo.get("RestoredList", restoredTable);
}
