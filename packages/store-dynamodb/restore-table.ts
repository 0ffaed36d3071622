// SPDX-License-Identifier: MIT

import { setTimeout as pause } from "node:timers/promises";
import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  ListTagsOfResourceCommand,
  RestoreTableToPointInTimeCommand,
  type TableDescription,
  TagResourceCommand,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from "@aws-sdk/client-dynamodb";
import { SetupError } from "@reading-list/core/errors.ts";
import type { Table } from "./client.ts";
import { tableDefinition } from "./table-definition.ts";
import { findExpiry, hasPointInTimeRecovery } from "./table-inspection.ts";

/** Seconds: a restore takes minutes to hours, as DynamoDB says. */
const longestRestore = 24 * 3600;

/** Tries, and ms between them, to switch on the backups of a table that is new. */
const backupTries = 60;
const backupPauseMs = 10_000;

/**
 * Restores a table to a time (unix seconds) as a new table, with all that DynamoDB leaves out but backups: expiry,
 * deletion protection, maximum units and tags, as the old table has them. Waits until it is there. Called again, it
 * continues. Throws a SetupError if the table cannot be restored to that time.
 */
export async function restoreTable(source: Table, targetName: string, time: number): Promise<void> {
  const { client, tableName } = source;
  const at = new Date(time * 1000);
  const old = await describe(source);
  const target = { client, tableName: targetName };
  if (!(await describe(target).catch(undefinedIfMissing))) {
    await checkTime(source, at);
    await client
      .send(
        new RestoreTableToPointInTimeCommand({
          SourceTableName: tableName,
          TargetTableName: targetName,
          RestoreDateTime: at,
          ...(old.OnDemandThroughput && { OnDemandThroughputOverride: old.OnDemandThroughput }),
        }),
      )
      // The client repeats a request whose answer was lost.
      .catch((error) => {
        if (!["TableAlreadyExistsException", "TableInUseException"].includes(error.name)) throw error;
      });
  }
  await waitUntilTableExists(
    { client, maxWaitTime: longestRestore, minDelay: 5, maxDelay: 30 },
    { TableName: targetName },
  );
  const restored = await describe(target);
  const { SourceTableArn, RestoreDateTime } = restored.RestoreSummary ?? {};
  if (SourceTableArn !== old.TableArn || Number(RestoreDateTime) !== at.getTime()) {
    throw new SetupError(
      `the table ${targetName} exists, but is not a restore of ${tableName} to this time; delete it first`,
    );
  }
  if ((await findExpiry(target)) === undefined) {
    const TimeToLiveSpecification = { Enabled: true, AttributeName: tableDefinition.ttl };
    await client.send(new UpdateTimeToLiveCommand({ TableName: targetName, TimeToLiveSpecification }));
  }
  const { DeletionProtectionEnabled = false } = old;
  if (restored.DeletionProtectionEnabled !== DeletionProtectionEnabled) {
    await client.send(new UpdateTableCommand({ TableName: targetName, DeletionProtectionEnabled }));
  }
  const { Tags = [] } = await client.send(new ListTagsOfResourceCommand({ ResourceArn: old.TableArn }));
  const own = Tags.filter(({ Key }) => !Key?.startsWith("aws:"));
  if (own.length > 0) await client.send(new TagResourceCommand({ ResourceArn: restored.TableArn, Tags: own }));
}

async function describe({ client, tableName }: Table): Promise<TableDescription> {
  const { Table: description = {} } = await client.send(new DescribeTableCommand({ TableName: tableName }));
  return description;
}

function undefinedIfMissing(error: Error): undefined {
  if (error.name !== "ResourceNotFoundException") throw error;
}

async function checkTime({ client, tableName }: Table, at: Date): Promise<void> {
  const answer = await client.send(new DescribeContinuousBackupsCommand({ TableName: tableName }));
  const { EarliestRestorableDateTime: earliest, LatestRestorableDateTime: latest } =
    answer.ContinuousBackupsDescription?.PointInTimeRecoveryDescription ?? {};
  if (!earliest || !latest)
    throw new SetupError(`point-in-time recovery of ${tableName} is off: it cannot be restored`);
  if (at < earliest || at > latest) {
    throw new SetupError(
      `${tableName} can be restored to a time from ${earliest.toISOString()} to ${latest.toISOString()}; the latest time is a few minutes before now`,
    );
  }
}

/** Switches on the backups of a restored table; DynamoDB refuses that for some time. */
export async function switchOnBackups(table: Table): Promise<void> {
  for (let tries = 1; !(await hasPointInTimeRecovery(table)); tries++) {
    const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: true };
    await table.client
      .send(new UpdateContinuousBackupsCommand({ TableName: table.tableName, PointInTimeRecoverySpecification }))
      .catch(async (error) => {
        if (error.name !== "ContinuousBackupsUnavailableException" || tries === backupTries) throw error;
        await pause(backupPauseMs);
      });
  }
}
