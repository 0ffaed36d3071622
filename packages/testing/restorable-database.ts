import { CreateTableCommand, DescribeTableCommand } from "@aws-sdk/client-dynamodb";
import { BatchWriteCommand, ScanCommand } from "@aws-sdk/lib-dynamodb";
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
      const isOfSource = ({ tableName, time }: Snapshot) => tableName === SourceTableName && time <= RestoreDateTime;
      const { records } = snapshots.findLast(isOfSource) ?? { records: [] };
      await client.send(new CreateTableCommand(createTableInput(TargetTableName)));
      for (const Item of records) {
        await client.send(new BatchWriteCommand({ RequestItems: { [TargetTableName]: [{ PutRequest: { Item } }] } }));
      }
      withoutBackups.add(TargetTableName);
      const SourceTableArn = await arnOf(SourceTableName);
      restored.set(TargetTableName, { SourceTableArn, RestoreDateTime, RestoreInProgress: false });
      return { TableDescription: { TableStatus: "CREATING" } };
    },
  };

  async function answer(operation: string, body: string, passOn: () => Promise<Reply>): Promise<Reply> {
    const failure = failures.get(operation)?.shift();
    if (failure) return { status: 400, body: JSON.stringify({ __type: failure, message: "a failure of the test" }) };
    const own = operations[operation];
    if (own) return { status: 200, body: JSON.stringify(await own(JSON.parse(body))) };
    const reply = await passOn();
    if (operation !== "DescribeTable" || reply.status !== 200) return reply;
    const { Table } = JSON.parse(reply.body);
    return { ...reply, body: JSON.stringify({ Table: { ...Table, RestoreSummary: restored.get(Table.TableName) } }) };
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
      const { Items: records = [] } = await client.send(
        new ScanCommand({ TableName: tableName, ConsistentRead: true }),
      );
      snapshots.push({ tableName, time, records });
    },
    stop() {
      client.destroy();
      stop();
    },
  };
}
