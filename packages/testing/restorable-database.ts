// SPDX-License-Identifier: MIT

import { setTimeout as pause } from "node:timers/promises";
import { CreateTableCommand, DescribeTableCommand } from "@aws-sdk/client-dynamodb";
import { BatchWriteCommand, paginateScan } from "@aws-sdk/lib-dynamodb";
import { splitList } from "@reading-list/core/domain/split-list.ts";
import { createDocumentClient } from "@reading-list/store-dynamodb/client.ts";
import { createTableInput } from "@reading-list/store-dynamodb/table-definition.ts";
import { forward, operationOf, type Reply, startProxy } from "./proxy.ts";

/** The records of a table at a time in unix seconds. */
interface Snapshot {
  tableName: string;
  time: number;
  records: Record<string, unknown>[];
}

/**
 * A database with restores to a time, which no emulator has: the smallest stand-in for point-in-time recovery. It knows
 * the times at which `remember` was called; a restored table has, as on AWS, none of expiry, backups, protection, tags.
 */
export async function startRestorableDatabase(endpoint: string) {
  const client = createDocumentClient(endpoint);
  const snapshots: Snapshot[] = [];
  /** Tables whose backups are switched off. */
  const withoutBackups = new Set<string>();
  /** `RestoreSummary` by the name of the restored table. */
  const restored = new Map<string, { SourceTableArn: string; RestoreDateTime: number; RestoreInProgress: boolean }>();
  const fill = async (tableName: string, records: Snapshot["records"]) => {
    for (const some of splitList(records, 25)) {
      const puts = some.map((Item) => ({ PutRequest: { Item } }));
      await client.send(new BatchWriteCommand({ RequestItems: { [tableName]: puts } }));
    }
  };
  /** Errors of the next operations, by their name. */
  const failures = new Map<string, string[]>();

  const arnOf = async (TableName: string) =>
    (await client.send(new DescribeTableCommand({ TableName }))).Table?.TableArn ?? "";

  // biome-ignore lint/suspicious/noExplicitAny: the input of any operation
  const operations: Record<string, (input: any) => Promise<object>> = {
    async DescribeContinuousBackups({ TableName }) {
      const isOn = !withoutBackups.has(TableName);
      const times = snapshots.filter(({ tableName }) => tableName === TableName).map(({ time }) => time);
      const PointInTimeRecoveryDescription = {
        PointInTimeRecoveryStatus: isOn ? "ENABLED" : "DISABLED",
        ...(isOn && { EarliestRestorableDateTime: Math.min(...times), LatestRestorableDateTime: Math.max(...times) }),
      };
      return { ContinuousBackupsDescription: { ContinuousBackupsStatus: "ENABLED", PointInTimeRecoveryDescription } };
    },
    async UpdateContinuousBackups({ TableName }) {
      withoutBackups.delete(TableName);
      return { ContinuousBackupsDescription: { ContinuousBackupsStatus: "ENABLED" } };
    },
    async RestoreTableToPointInTime({ SourceTableName, TargetTableName, RestoreDateTime }) {
      if (restored.has(TargetTableName)) throw new Error("TableAlreadyExistsException");
      const isOfSource = ({ tableName, time }: Snapshot) => tableName === SourceTableName && time <= RestoreDateTime;
      const { records } = snapshots.findLast(isOfSource) ?? { records: [] };
      const summary = { SourceTableArn: await arnOf(SourceTableName), RestoreDateTime, RestoreInProgress: true };
      restored.set(TargetTableName, summary);
      withoutBackups.add(TargetTableName);
      await client.send(new CreateTableCommand(createTableInput(TargetTableName)));
      const filled = fill(TargetTableName, records).then(() => {
        summary.RestoreInProgress = false;
      });
      // The client waits 2 s for an answer, and asks for the state every 5 s.
      await Promise.race([filled, pause(1000)]);
      return { TableDescription: { TableStatus: "CREATING" } };
    },
  };

  async function answer(operation: string, body: string, passOn: () => Promise<Reply>): Promise<Reply> {
    const failure = failures.get(operation)?.shift();
    if (failure) return { status: 400, body: JSON.stringify({ __type: failure, message: "a failure of the test" }) };
    const own = operations[operation];
    if (own) {
      return own(JSON.parse(body)).then(
        (output) => ({ status: 200, body: JSON.stringify(output) }),
        ({ message }) => ({ status: 400, body: JSON.stringify({ __type: message, message }) }),
      );
    }
    const reply = await passOn();
    if (operation !== "DescribeTable" || reply.status !== 200) return reply;
    const { Table } = JSON.parse(reply.body);
    const summary = restored.get(Table.TableName);
    const TableStatus = summary?.RestoreInProgress ? "CREATING" : Table.TableStatus;
    return { ...reply, body: JSON.stringify({ Table: { ...Table, TableStatus, RestoreSummary: summary } }) };
  }

  const { url, stop } = await startProxy((request, body) =>
    answer(operationOf(request), String(body), () => forward(endpoint, request, body)),
  );
  return {
    url,
    failures,
    withoutBackups,
    /** Makes a moment to which a table can be restored. */
    async remember(tableName: string, time: number) {
      const records: Snapshot["records"] = [];
      const pages = paginateScan({ client }, { TableName: tableName, ConsistentRead: true });
      for await (const { Items = [] } of pages) records.push(...Items);
      snapshots.push({ tableName, time, records });
    },
    stop() {
      client.destroy();
      stop();
    },
  };
}
