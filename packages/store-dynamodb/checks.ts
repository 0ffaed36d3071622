// SPDX-License-Identifier: MIT

import { DescribeTableCommand, type KeySchemaElement } from "@aws-sdk/client-dynamodb";
import type { Finding } from "@reading-list/core/ports/operator.ts";
import type { Table } from "./client.ts";
import { keepsData, tableDefinition } from "./table-definition.ts";
import { findExpiry, hasPointInTimeRecovery } from "./table-inspection.ts";

const switchOn = {
  backups:
    "aws dynamodb update-continuous-backups --point-in-time-recovery-specification PointInTimeRecoveryEnabled=true",
  protection: "aws dynamodb update-table --deletion-protection-enabled",
};

/** Which table it is, in words, and the deployed stage that it belongs to. */
export interface Place {
  description: string;
  stage?: string;
}

const joinKeys = (schema: readonly KeySchemaElement[] = []) => schema.map(({ AttributeName }) => AttributeName).join();

/** The checks of `readinglist doctor`: whether a table is as `tableDefinition` says, and its data safe. */
export function createChecks(table: Table, { description, stage }: Place): Record<string, () => Promise<Finding>> {
  const { partitionKey, sortKey, indexes, ttl } = tableDefinition;
  const described = table.client.send(new DescribeTableCommand({ TableName: table.tableName }));
  // Each check that awaits it reports its failure.
  described.catch(() => {});
  return {
    table: async () => {
      const { Table: found } = await described;
      if (joinKeys(found?.KeySchema) !== [partitionKey, sortKey].join()) {
        return { fault: `the ${description} has the wrong keys; another service owns it` };
      }
      return found?.TableStatus === "ACTIVE" ? { found: description } : { fault: "the table is not active yet; wait" };
    },
    indexes: async () => {
      const { LocalSecondaryIndexes: local = [] } = (await described).Table ?? {};
      const isThere = (index: { name: string; sortKey: string }) =>
        local.some(
          ({ IndexName, KeySchema, Projection }) =>
            IndexName === index.name &&
            joinKeys(KeySchema) === [partitionKey, index.sortKey].join() &&
            Projection?.ProjectionType === "ALL",
        );
      const missing = Object.values(indexes).filter((index) => !isThere(index));
      return missing.length === 0
        ? { found: `${Object.keys(indexes).join(" and ")} are there` }
        : {
            fault: `missing: ${missing.map(({ name }) => name).join(", ")}; a local index cannot be added to an existing table: deploy or start with a new table`,
          };
    },
    expiry: async () =>
      (await findExpiry(table)) === ttl
        ? { found: `records expire by the attribute ${ttl}` }
        : { fault: `records do not expire; turn on TTL for the attribute ${ttl}` },
    backups: async () => {
      const isOn = await hasPointInTimeRecovery(table);
      if (isOn === undefined) return { found: "this database has no point-in-time recovery; run readinglist backup" };
      if (isOn) return { found: "point-in-time recovery is on" };
      return { fault: `point-in-time recovery is off; run ${switchOn.backups} --table-name ${table.tableName}` };
    },
    "deletion protection": async () => {
      if ((await described).Table?.DeletionProtectionEnabled) return { found: "on" };
      if (stage === undefined) return { found: "off: this database is not deployed" };
      if (!keepsData(stage)) return { found: "off: this is a developer's stage" };
      return { fault: `off; run ${switchOn.protection} --table-name ${table.tableName}` };
    },
  };
}
