import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { listEnd, userKey } from "@reading-list/store/keys.ts";
import { tableDefinition } from "@reading-list/store/table-definition.ts";
import type { Account, Parameters } from "@reading-list/testing/client.ts";
import { rounded, type Subject } from "@reading-list/testing/table-text.ts";
import type { Extent } from "./extent.ts";
import { updateUser, updateUserAndPutItem } from "./floors.ts";
import { itemsIn } from "./items-in.ts";
import { newPage, seedList, signUp } from "./lists.ts";
import { measureLoad } from "./load.ts";
import type { Stack } from "./stack.ts";

const connections = 8;
const pageSize = 30;
const itemsOfList = 300;
/** Linux counts processor time in hundredths of a second. */
const millisecondsPerTick = 10;

/** Milliseconds of processor time that a process has used, on Linux. */
function processorTimeOf(pid: number): number {
  // The name of a program, in parentheses, may contain spaces.
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * millisecondsPerTick;
}

/** The database process, a grandchild of this process through a shell. */
function findDatabaseProcess(): number {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      const isDatabase = /^\d+ \((dynoxide|java)\)/.test(stat);
      if (isDatabase) parents.set(Number(name), Number(stat.split(") ").at(-1)?.split(" ")[1]));
    } catch {
      // The process has ended.
    }
  }
  for (const [pid, shell] of parents) {
    const parent = Number(readFileSync(`/proc/${shell}/stat`, "utf8").split(") ").at(-1)?.split(" ")[1]);
    if (parent === process.pid) return pid;
  }
  throw new Error("the process of the database was not found");
}

/** A fixed amount of work, to compare machines and runs. */
function calibrate(): number {
  const before = process.cpuUsage();
  let value = 0;
  for (let i = 0; i < 200_000_000; i++) value = (value * 31 + i) | 0;
  if (value === 1) throw new Error("the loop was not run");
  return process.cpuUsage(before).user / 1000;
}

/** Processor time per call of service and database, compared with single commands and a fixed loop. Linux only. */
export async function measureProcessorTime(stack: Stack, extent: Extent): Promise<Subject[]> {
  if (process.platform !== "linux") return [];
  const { service, table, servicePid } = stack;
  const databasePid = findDatabaseProcess();
  const lists = await Promise.all(Array.from({ length: connections }, () => seedList(service, table, itemsOfList)));
  const writers = await signUp(service, connections);
  const load = (
    endpoint: string,
    parametersFor: (connection: number) => Parameters,
    isRight: (body: string) => boolean,
  ) => ({
    pid: servicePid,
    run: (calls: number) =>
      measureLoad(
        {
          url: service.urlOf(endpoint),
          connections,
          nextForm: (connection) => service.formOf(parametersFor(connection % connections)),
          isRight,
        },
        { calls },
      ),
  });
  const command = (send: (caller: string, list: Account) => Promise<unknown>) => ({
    pid: process.pid,
    run: async (calls: number) => {
      let left = calls;
      const sendOn = async (_: unknown, connection: number) => {
        const caller = randomUUID();
        while (left-- > 0) await send(caller, lists[connection]?.account as Account);
      };
      await Promise.all(Array.from({ length: connections }, sendOn));
    },
  });
  const reader = (connection: number) => ({ ...lists[connection]?.account });
  const subjects: Record<string, { pid: number; run: (calls: number) => Promise<unknown> }> = {
    "command: UpdateItem": command((caller) => updateUser(table, caller)),
    "command: TransactWriteItems of 2": command((caller) => updateUserAndPutItem(table, caller, 0)),
    [`command: Query of ${pageSize}`]: command((_, { username }) =>
      table.client.send(
        new QueryCommand({
          TableName: table.tableName,
          IndexName: tableDefinition.indexes.byTime.name,
          ConsistentRead: true,
          KeyConditionExpression: "pk = :pk AND changed BETWEEN :first AND :last",
          ExpressionAttributeValues: { ":pk": userKey(username).pk, ":first": "0", ":last": listEnd },
          Limit: pageSize,
        }),
      ),
    ),
    auth: load("auth", reader, (body) => body === "200 OK"),
    "get, nothing new": load(
      "get",
      (connection) => ({ ...reader(connection), since: String(lists[connection]?.newestAt) }),
      (body) => body.startsWith('{"status":"2"'),
    ),
    [`get of ${pageSize}`]: load(
      "get",
      (connection) => ({ ...reader(connection), count: String(pageSize) }),
      (body) => itemsIn(body) === pageSize,
    ),
    "add, a new page": load(
      "add",
      (connection) => ({ ...writers[connection], ...newPage() }),
      (body) => body === "200 OK",
    ),
  };
  const loop = calibrate();
  const rows: Subject["rows"] = [
    { call: "calibration loop, once", service: rounded(loop), database: 0, sum: rounded(loop) },
  ];
  for (const [name, { pid, run }] of Object.entries(subjects)) {
    await run(extent.processorTimeCalls / 4);
    const before = [pid, databasePid].map(processorTimeOf);
    await run(extent.processorTimeCalls);
    const [own = 0, database = 0] = [pid, databasePid].map(
      (each, i) => (processorTimeOf(each) - (before[i] ?? 0)) / extent.processorTimeCalls,
    );
    rows.push({ call: name, service: rounded(own), database: rounded(database), sum: rounded(own + database) });
  }
  return [
    {
      title: "Processor time per call",
      notes: [
        `Milliseconds, from the system's own accounting, over ${extent.processorTimeCalls} calls by ${connections} connections after a warm-up.`,
        `Each connection is another user's, who has ${itemsOfList} items. Commands are sent by the benchmark in place of the service.`,
        "The loop is always the same work: divide by it to compare machines.",
      ],
      rows,
    },
  ];
}
