import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { GetCommand, QueryCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { expectedCalls, leaseMs, leaseSize, leastRemaining } from "@reading-list/core/domain/key-lease.ts";
import type { Clock, KeyWindowStore } from "@reading-list/core/ports.ts";
import { LRUCache } from "lru-cache";
import type { Table } from "./client.ts";
import { windowKey, windowStartOf } from "./keys.ts";

/** Seconds after its start for which a window is kept, for an operator who asks about usage. */
const keptFor = 8 * 86_400;

/** Applications whose leases a process keeps; what was left of the lease of one that is forgotten is not used. */
const applicationsKept = 1000;

/** What this process holds of an application's window (docs/decisions/hot-keys.md). */
interface Lease {
  key: ReturnType<typeof windowKey>;
  windowStart: number;
  /** The record's calls when it was last seen: those made, and those that any process holds. */
  calls: number;
  /** When calls were last given back by any process: it only rises. Milliseconds. */
  returnedAt: number;
  /** Calls that are counted in the record and not made yet. */
  rest: number;
  /** Calls taken the last time. */
  size: number;
  /** Calls admitted and refused since. */
  answered: number;
  /** When the lease was taken, and when the last call was answered; milliseconds. */
  takenAt: number;
  answeredAt: number;
  /** Calls that wait for the request under way, or for their turn to make one. */
  waiting: number;
  underWay: Promise<void> | undefined;
}

/** The calls of each application by window (contract, "Keys, users, limits"), of which this process takes its share ahead. */
export function createKeyWindowStore({ client, tableName }: Table, clock: Clock): KeyWindowStore {
  const leases = new LRUCache<string, Lease>({ max: applicationsKept });

  function leaseOf(applicationId: string, windowStart: number): Lease {
    const last = leases.get(applicationId);
    if (last?.windowStart === windowStart) return last;
    const isNext = last === undefined || last.windowStart < windowStart;
    const lease: Lease = {
      key: windowKey(applicationId, windowStart),
      windowStart,
      calls: 0,
      returnedAt: 0,
      rest: 0,
      size: 1,
      // Traffic goes on at its rate from one window to the next.
      answered: isNext ? (last?.answered ?? 0) : 0,
      takenAt: isNext ? (last?.takenAt ?? 0) : 0,
      answeredAt: isNext ? (last?.answeredAt ?? 0) : 0,
      waiting: 0,
      underWay: undefined,
    };
    if (isNext) leases.set(applicationId, lease);
    return lease;
  }

  /** Adds to the record's calls and notes how the record stands; gives the error of a condition that failed. */
  async function addCalls(lease: Lease, step: number, set: string, condition: string, bound: number) {
    const note = (record: Record<string, number> | undefined) => {
      lease.calls = record?.calls ?? 0;
      lease.returnedAt = record?.returnedAt ?? 0;
    };
    try {
      const { Attributes } = await client.send(
        new UpdateCommand({
          TableName: tableName,
          Key: lease.key,
          UpdateExpression: `SET ${set} ADD calls :step`,
          ConditionExpression: condition,
          ExpressionAttributeValues: { ":expires": lease.windowStart + keptFor, ":step": step, ":bound": bound },
          ReturnValues: "ALL_NEW",
          ReturnValuesOnConditionCheckFailure: "ALL_OLD",
        }),
      );
      note(Attributes);
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      note(error.Item && unmarshall(error.Item));
      return error;
    }
  }

  /** A request that arrives twice takes calls that nobody makes: the limit holds. */
  async function take(lease: Lease, calls: number, mostBefore: number): Promise<void> {
    const condition = "attribute_not_exists(calls) OR calls <= :bound";
    const failure = await addCalls(lease, calls, "expires = :expires", condition, mostBefore);
    if (!failure) lease.rest += calls;
  }

  /** A request that arrives twice, however late, finds its own time or a later one in the record and does nothing. */
  async function giveBack(lease: Lease, calls: number): Promise<void> {
    lease.rest -= calls;
    const time = Math.max(clock.now(), lease.returnedAt + 1);
    const condition = "attribute_not_exists(returnedAt) OR returnedAt < :bound";
    const failure = await addCalls(lease, -calls, "expires = :expires, returnedAt = :bound", condition, time);
    // Sent once, it was overtaken by another process, and the calls are still ours; sent again, nobody can tell.
    if (failure?.$metadata.attempts === 1) lease.rest += calls;
  }

  /** Leaves calls in the lease, or the knowledge that there are none. */
  async function renew(lease: Lease, limit: number): Promise<void> {
    const now = clock.now();
    const expected = expectedCalls(lease.answered, now - lease.takenAt, now - lease.answeredAt);
    do {
      lease.size = leaseSize(expected, lease.waiting, limit - lease.calls);
      if (lease.size < lease.rest) await giveBack(lease, lease.rest - lease.size);
      else await take(lease, lease.size - lease.rest, limit - leastRemaining(lease.size, lease.waiting));
    } while (lease.rest === 0 && lease.calls < limit);
    lease.answered = 0;
    lease.takenAt = clock.now();
  }

  /** Has one request at a time change a lease. */
  const change = (lease: Lease, request: Promise<void>) => {
    lease.underWay = request.finally(() => {
      lease.underWay = undefined;
    });
    return lease.underWay;
  };

  /** The answer that needs no request. */
  function answerFrom(lease: Lease, limit: number): { counted: boolean; calls: number } | undefined {
    const now = clock.now();
    if (lease.underWay || now - lease.takenAt >= leaseMs) return undefined;
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
          await (lease.underWay ?? change(lease, renew(lease, limit)));
        }
      } finally {
        lease.waiting--;
      }
    },

    async uncountCall(applicationId, windowStart) {
      const lease = leaseOf(applicationId, windowStart);
      lease.rest++;
      // Without other calls to make, this process has no use for it.
      if (lease.size === 1 && !lease.underWay) await change(lease, giveBack(lease, lease.rest));
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
