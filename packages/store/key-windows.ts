import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { GetCommand, QueryCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { expectedCalls, leaseMs, leaseSize, leastRemaining } from "@reading-list/core/domain/key-lease.ts";
import type { KeyWindowStore, Stopwatch } from "@reading-list/core/ports.ts";
import { LRUCache } from "lru-cache";
import { sendOnce, type Table } from "./client.ts";
import { windowKey, windowStartOf } from "./keys.ts";
import { retryConflicts } from "./optimistic-locking.ts";

/** Seconds after its start for which a window is kept, for `readinglist usage`. */
const keptFor = 8 * 86_400;

/** Maximum number of leases of a process, one for each application. The rest of an evicted lease stays unused. */
const applicationsKept = 1000;

/** The calls of an application's window that this process has leased (docs/decisions/hot-keys.md). */
interface Lease {
  key: ReturnType<typeof windowKey>;
  windowStart: number;
  /** Calls in the record when it was last seen: made, or leased by any process. */
  calls: number;
  /** Calls of the lease that are not made yet. */
  rest: number;
  /** Calls leased the last time. */
  size: number;
  /** Calls admitted and refused since then. */
  answered: number;
  /** Stopwatch time of the last renewal and of the last answer, in ms. */
  renewedAt: number;
  answeredAt: number;
  /** Calls that wait for a renewal. */
  waiting: number;
  renewal: Promise<unknown> | undefined;
}

/** Counts the calls of each application by window. Each process leases calls, so that one write counts many. */
export function createKeyWindowStore({ client, tableName }: Table, stopwatch: Stopwatch): KeyWindowStore {
  const leases = new LRUCache<string, Lease>({ max: applicationsKept });

  function leaseOf(applicationId: string, windowStart: number): Lease {
    const last = leases.get(applicationId);
    if (last?.windowStart === windowStart) return last;
    // The rate of calls is carried over to the next window.
    const { answered = 0, renewedAt = 0, answeredAt = 0 } = last ?? {};
    const rate = { answered, renewedAt, answeredAt };
    const key = windowKey(applicationId, windowStart);
    const lease = { key, windowStart, calls: 0, rest: 0, size: 1, ...rate, waiting: 0, renewal: undefined };
    leases.set(applicationId, lease);
    return lease;
  }

  const addCalls = (lease: Lease, step: number, condition: string, bound?: number) =>
    new UpdateCommand({
      TableName: tableName,
      Key: lease.key,
      UpdateExpression: "SET expires = :expires ADD calls :step",
      ConditionExpression: condition,
      ExpressionAttributeValues: {
        ":expires": lease.windowStart + keptFor,
        ":step": step,
        ...(bound !== undefined && { ":bound": bound }),
      },
      ReturnValues: "ALL_NEW",
      ReturnValuesOnConditionCheckFailure: "ALL_OLD",
    });

  /** Leases calls if the record has at most `mostBefore`. A repeated request leaves calls unused, and the limit holds. */
  async function take(lease: Lease, calls: number, mostBefore: number): Promise<void> {
    try {
      const condition = "attribute_not_exists(calls) OR calls <= :bound";
      const { Attributes } = await client.send(addCalls(lease, calls, condition, mostBefore));
      lease.calls = Attributes?.calls ?? 0;
      lease.rest += calls;
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      lease.calls = (error.Item && unmarshall(error.Item).calls) ?? 0;
    }
  }

  /** Gives calls back. Repeated, that would raise the limit; if the answer is lost the calls stay unused instead. */
  async function giveBack(lease: Lease, calls: number): Promise<void> {
    lease.rest -= calls;
    try {
      const { Attributes } = await sendOnce(client, addCalls(lease, -calls, "attribute_exists(calls)"));
      lease.calls = Attributes?.calls ?? 0;
    } catch {}
  }

  /** Renews the lease. Afterwards it has calls left, or `calls` has reached the limit. */
  async function renew(lease: Lease, limit: number): Promise<void> {
    const now = stopwatch.elapsed();
    const expected = expectedCalls(lease.answered, now - lease.renewedAt, now - lease.answeredAt);
    await retryConflicts(async () => {
      lease.size = leaseSize(expected, lease.waiting, limit - lease.calls);
      if (lease.size < lease.rest) await giveBack(lease, lease.rest - lease.size);
      else await take(lease, lease.size - lease.rest, limit - leastRemaining(lease.size, lease.waiting));
      return lease.rest > 0 || lease.calls >= limit || undefined;
    });
    lease.answered = 0;
    lease.renewedAt = stopwatch.elapsed();
  }

  /** One request at a time changes a lease. */
  function change(lease: Lease, request: Promise<unknown>): Promise<unknown> {
    lease.renewal = request.finally(() => {
      lease.renewal = undefined;
    });
    return lease.renewal;
  }

  /** The answer from the lease; undefined if the lease must be renewed first. */
  function answerFrom(lease: Lease, limit: number): { counted: boolean; calls: number } | undefined {
    const now = stopwatch.elapsed();
    if (lease.renewal || now - lease.renewedAt >= leaseMs) return undefined;
    const counted = lease.rest > 0;
    if (counted) lease.rest--;
    else if (lease.calls < limit) return undefined;
    lease.answered++;
    lease.answeredAt = now;
    return { counted, calls: lease.calls - lease.rest };
  }

  return {
    async countCall(applicationId, windowStart, limit) {
      if (limit === 0) return { counted: false, calls: 0 };
      const lease = leaseOf(applicationId, windowStart);
      lease.waiting++;
      try {
        for (;;) {
          const answer = answerFrom(lease, limit);
          if (answer) return answer;
          await (lease.renewal ?? change(lease, renew(lease, limit)));
        }
      } finally {
        lease.waiting--;
      }
    },

    async uncountCall(applicationId, windowStart) {
      const lease = leaseOf(applicationId, windowStart);
      lease.rest++;
      // At a low rate other processes need the call sooner than this one.
      if (lease.size === 1 && !lease.renewal) await change(lease, giveBack(lease, lease.rest));
    },

    async read(applicationId, windowStart) {
      const { rest } = leaseOf(applicationId, windowStart);
      const { Item } = await client.send(
        new GetCommand({ TableName: tableName, Key: windowKey(applicationId, windowStart), ConsistentRead: true }),
      );
      return (Item?.calls ?? 0) - rest;
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
  return (Items ?? []).map(({ sk, calls }) => ({ start: windowStartOf(sk), calls }));
}
