import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { type DynamoDBDocumentClient, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { leaseMs } from "@reading-list/core/domain/key-lease.ts";
import type { Clock } from "@reading-list/core/ports.ts";
import type { Table } from "@reading-list/store/client.ts";
import { createKeyWindowStore } from "@reading-list/store/key-windows.ts";
import { windowKey } from "@reading-list/store/keys.ts";
import { rounded, type Subject } from "@reading-list/testing/table-text.ts";
import type { Extent } from "./extent.ts";
import type { Stack } from "./stack.ts";

const windowStart = 1_800_000_000;
const noLimit = 1_000_000_000;
/** Milliseconds of other work of a process for each call. */
const workMs = 5;
/** On the real clock: processes that make sequential calls. */
const realProcesses = [1, 10, 50] as const;
/** On a simulated clock: so many calls a second fall on random processes. */
const simulatedProcesses = [50, 200, 1000] as const;
const simulatedRate = 10_000;
/** Seconds on the simulated clock for each second of measurement. */
const simulatedTimes = 3;

/** Measures the writes to the record of an application with thousands of calls a second through many processes. */
export async function measureHotKeys({ table }: Stack, { seconds }: Extent): Promise<Subject> {
  const rows: Subject["rows"] = [];
  for (const processes of realProcesses) {
    rows.push(await callInRealTime(new Writes(table, performance, countOneByOne), "one by one", processes, seconds));
    rows.push(await callInRealTime(new Writes(table, performance), "leases", processes, seconds));
  }
  const limit = simulatedRate * Math.ceil(simulatedTimes * seconds);
  for (const processes of simulatedProcesses) rows.push(await simulateCalls(table, processes, limit));
  return {
    title: "Hot keys",
    notes: [
      "Calls of one key, counted by several processes in one record; on AWS a record takes 1,000 writes a second. Real clock:",
      `each process has ${workMs} ms of other work between two calls, and all of them share this machine. Simulated clock:`,
      `${simulatedRate} calls a second fall on random processes, from a cold start until the limit of ${limit} is reached.`,
      "Left: calls leased but not made at the first refusal, and one second later.",
    ],
    rows,
  };
}

type Count = (applicationId: string, windowStart: number, limit: number) => Promise<{ counted: boolean }>;

/** Without leases: each call writes. */
const countOneByOne =
  ({ client, tableName }: Table): Count =>
  async (applicationId, windowStart, limit) => {
    await client.send(
      new UpdateCommand({
        TableName: tableName,
        Key: windowKey(applicationId, windowStart),
        UpdateExpression: "ADD calls :one",
        ConditionExpression: "attribute_not_exists(calls) OR calls < :limit",
        ExpressionAttributeValues: { ":one": 1, ":limit": limit },
        ReturnValues: "UPDATED_NEW",
      }),
    );
    return { counted: true };
  };

/** Creates the counters of processes, and records their writes. */
class Writes {
  readonly applicationId = randomUUID();
  readonly times: number[] = [];
  largest = 0;
  readonly #newCount: () => Count;

  constructor({ client, tableName }: Table, clock: Clock, countWith?: (table: Table) => Count) {
    const send = client.send.bind(client) as (command: unknown) => Promise<unknown>;
    const watched = {
      send: (command: UpdateCommand) => {
        this.times.push(clock.now());
        this.largest = Math.max(this.largest, command.input.ExpressionAttributeValues?.[":step"] ?? 1);
        return send(command);
      },
    } as unknown as DynamoDBDocumentClient;
    const table = { client: watched, tableName };
    this.#newCount = () => countWith?.(table) ?? createKeyWindowStore(table, { elapsed: () => clock.now() }).countCall;
  }

  countersOf(processes: number): Count[] {
    return Array.from({ length: processes }, this.#newCount);
  }

  /** Writes in the busiest second between two times. */
  busiestSecond(fromMs: number, toMs: number): number {
    const times = this.times.filter((time) => time >= fromMs && time < toMs);
    return Math.max(0, ...times.map((start) => times.filter((time) => time >= start && time < start + 1000).length));
  }
}

async function callInRealTime(writes: Writes, counting: string, processes: number, seconds: number) {
  const end = performance.now() + 1000 * seconds;
  let calls = 0;
  const callOn = async (count: Count) => {
    for (; performance.now() < end; calls++) {
      await count(writes.applicationId, windowStart, noLimit);
      await pause(workMs);
    }
  };
  await Promise.all(writes.countersOf(processes).map(callOn));
  return {
    clock: "real",
    counted: counting,
    processes,
    "calls/s": rounded(calls / seconds),
    "writes for 1,000 calls": rounded((1000 * writes.times.length) / calls),
    "largest lease": writes.largest,
    "writes, 1st second": "-",
    "then at most": "-",
    "around the limit": "-",
    left: "-",
    "left later": "-",
  };
}

async function simulateCalls(table: Table, processes: number, limit: number): Promise<Subject["rows"][number]> {
  let now = 1000 * windowStart;
  const writes = new Writes(table, { now: () => now });
  const counters = writes.countersOf(processes);
  const start = now;
  let calls = 0;
  let refusedAt = Number.POSITIVE_INFINITY;
  let callsThen = 0;
  let writesThen = 0;
  for (; now < refusedAt + leaseMs; now++) {
    for (let call = 0; call < simulatedRate / 1000; call++) {
      const count = counters[Math.floor(Math.random() * processes)] as Count;
      const { counted } = await count(writes.applicationId, windowStart, limit);
      if (counted) calls++;
      else if (now < refusedAt) [refusedAt, callsThen, writesThen] = [now, calls, writes.times.length];
    }
  }
  return {
    clock: "moved",
    counted: "leases",
    processes,
    "calls/s": simulatedRate,
    "writes for 1,000 calls": rounded((1000 * writesThen) / callsThen),
    "largest lease": writes.largest,
    "writes, 1st second": writes.busiestSecond(start, start + 1000),
    "then at most": writes.busiestSecond(start + 1000, refusedAt - 1000),
    "around the limit": writes.busiestSecond(refusedAt - 1000, now),
    left: limit - callsThen,
    "left later": limit - calls,
  };
}
