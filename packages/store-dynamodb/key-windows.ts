// SPDX-License-Identifier: MIT

import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { QueryCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { decideCall, type WindowCounter, windowKeptSeconds } from "@reading-list/core/domain/limits.ts";
import type { KeyWindowStore } from "@reading-list/core/ports/applications.ts";
import type { Clock } from "@reading-list/core/ports/clock.ts";
import { LRUCache } from "lru-cache";
import { readRecord, sendOnce, type Table } from "./client.ts";
import { parseWindowStart, windowKey } from "./keys.ts";

/** Counters of a process. The pending calls of an evicted one are not counted. */
const countersKept = 10_000;

/** The calls of a window as this process has counted them. */
interface Counter extends WindowCounter {
  windowStart: number;
  /** The write under way. */
  writing: Promise<unknown> | undefined;
}

/**
 * Counts calls with a write-behind counter: each process adds its calls to the record about once a second, so that one
 * record, which takes 1,000 writes a second, counts the calls of a thousand processes. A process that makes less than a
 * call a second writes each call, and near its limit a window is exact. If a write fails the call is admitted, and counted
 * with the next write: a throttled record must not stop the service (docs/decisions/counting-calls.md).
 */
export function createKeyWindowStore(table: Table, clock: Clock): KeyWindowStore {
  const { client, tableName } = table;
  const counters = new LRUCache<string, Counter>({ max: countersKept });

  function toCounter(id: string, windowStart: number): Counter {
    const last = counters.get(id);
    if (last?.windowStart === windowStart) return last;
    // The last calls of a window are written with the first one of the next.
    const writing = last?.pending ? add(id, last, last.pending).catch(() => {}) : undefined;
    const counter: Counter = { windowStart, known: 0, pending: 0, writtenAt: Number.NEGATIVE_INFINITY, writing };
    writing?.finally(() => (counter.writing = undefined));
    counters.set(id, counter);
    return counter;
  }

  /** Adds calls to the record if it has at most `max` before. Never repeated: a call must not be counted twice. */
  const add = (id: string, { windowStart }: Counter, calls: number, max = Number.MAX_SAFE_INTEGER) =>
    sendOnce(
      client,
      new UpdateCommand({
        TableName: tableName,
        Key: windowKey(id, windowStart),
        UpdateExpression: "SET expires = :expires ADD calls :calls",
        ConditionExpression: "attribute_not_exists(calls) OR calls <= :max",
        ExpressionAttributeValues: { ":expires": windowStart + windowKeptSeconds, ":calls": calls, ":max": max },
        ReturnValues: "ALL_NEW",
        ReturnValuesOnConditionCheckFailure: "ALL_OLD",
      }),
    );

  /** Writes the pending calls and `calls` more; false if the limit is reached. */
  async function write(id: string, counter: Counter, limit: number, calls: number): Promise<boolean> {
    const { pending } = counter;
    const max = limit - pending - calls;
    try {
      const { Attributes } = await add(id, counter, pending + calls, pending > 0 ? max : Math.max(0, max));
      counter.known = Attributes?.calls ?? 0;
      counter.pending -= pending;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) {
        counter.known = (error.Item && unmarshall(error.Item).calls) ?? 0;
        return false;
      }
      counter.pending += calls;
    } finally {
      counter.writtenAt = clock.now();
    }
    return true;
  }

  return {
    async countCall(id, windowStart, limit, calls) {
      const counter = toCounter(id, windowStart);
      while (counter.writing) await counter.writing;
      const decision = decideCall(counter, limit, calls, clock.now());
      if (decision === "count") counter.pending += calls;
      if (decision !== "write") return { counted: decision === "count", calls: counter.known + counter.pending };
      const writing = write(id, counter, limit, calls);
      counter.writing = writing.finally(() => {
        counter.writing = undefined;
      });
      const counted = await writing;
      return { counted, calls: counter.known + counter.pending };
    },

    async addCalls(id, windowStart, calls) {
      const counter = toCounter(id, windowStart);
      while (counter.writing) await counter.writing;
      counter.pending += calls;
      if (calls > 0 || counter.pending < 0) {
        // Other processes need them sooner than this one writes again.
        const { pending } = counter;
        counter.pending = 0;
        const { Attributes } = await add(id, counter, pending);
        counter.known = Attributes?.calls ?? 0;
      }
      return counter.known + counter.pending;
    },

    async read(id, windowStart) {
      const record = await readRecord(table, windowKey(id, windowStart));
      return (record?.calls ?? 0) + toCounter(id, windowStart).pending;
    },
  };
}

/** The newest windows in which an application made calls, newest first. */
export async function listKeyWindows(
  { client, tableName }: Table,
  applicationId: string,
  count: number,
): Promise<{ start: number; calls: number }[]> {
  const { Items } = await client.send(
    new QueryCommand({
      TableName: tableName,
      ConsistentRead: true,
      ScanIndexForward: false,
      Limit: count,
      KeyConditionExpression: "pk = :pk",
      ExpressionAttributeValues: { ":pk": windowKey(applicationId, 0).pk },
    }),
  );
  return (Items ?? []).map(({ sk, calls }) => ({ start: parseWindowStart(sk), calls }));
}
