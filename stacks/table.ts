// SPDX-License-Identifier: MIT

import { tableDefinition } from "@reading-list/store-dynamodb/table-definition.ts";
import type { StageSettings } from "./settings.ts";

/**
 * The table: on demand up to a maximum, which bounds what a flood costs, and with point-in-time recovery, as SST
 * creates every table. With a restored table, the service uses the restored one, and the stage's own table stays as it
 * is.
 *
 * The component must keep its name: Pulumi treats a new name as a new table, which would be empty. `protect` makes such
 * a deployment fail instead of silently leaving the old table behind.
 */
export function createTable({ protectsTable, restoredTable, tableUnits }: StageSettings): sst.aws.Dynamo {
  const { partitionKey, sortKey, indexes, ttl } = tableDefinition;
  const { byTime, unread } = indexes;
  const own = new sst.aws.Dynamo("ReadingList", {
    fields: { [partitionKey]: "string", [sortKey]: "string", [byTime.sortKey]: "string", [unread.sortKey]: "string" },
    primaryIndex: { hashKey: partitionKey, rangeKey: sortKey },
    localIndexes: {
      [byTime.name]: { rangeKey: byTime.sortKey, projection: "all" },
      [unread.name]: { rangeKey: unread.sortKey, projection: "all" },
    },
    ttl,
    deletionProtection: protectsTable,
    transform: {
      table: (args, options) => {
        options.protect = protectsTable;
        args.onDemandThroughput = { maxReadRequestUnits: tableUnits.read, maxWriteRequestUnits: tableUnits.write };
      },
    },
  });
  return restoredTable === undefined ? own : sst.aws.Dynamo.get("RestoredList", restoredTable);
}
