// SPDX-License-Identifier: MIT

import type { IncomingMessage } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { requestTimeoutMs } from "@reading-list/store-dynamodb/client.ts";
import { startDynamodb } from "./dynamodb.ts";
import { operationOf, type Reply, startProxy } from "./proxy.ts";

/**
 * Faults of a request to the database:
 * - `throttle`: refused as throttled
 * - `failure`: answered with 500, in half of the cases after the request was carried out
 * - `delay`: up to 0.3 seconds late, on the way there or back
 * - `slow`: answered late, but before the client's timeout
 * - `stall`: carried out after the client's timeout
 * - `dropBefore`, `dropAfter`: the connection is closed before or after the request is carried out
 * - `conflict`: a write is cancelled because of a transaction on the same record
 * - `partial`: a part of a batch is left unread; a query ends after a few records
 */
export type Fault =
  | "throttle"
  | "failure"
  | "delay"
  | "slow"
  | "stall"
  | "dropBefore"
  | "dropAfter"
  | "conflict"
  | "partial";

/** The share of requests with each fault; the sum is at most 1. */
export type FaultShares = Partial<Record<Fault, number>>;

/** Lag of eventually consistent reads. */
export interface Lag {
  milliseconds: number;
}

interface Command {
  operation: string;
  // biome-ignore lint/suspicious/noExplicitAny: the input of any operation
  input: any;
  headers: Record<string, string>;
}

/** Milliseconds, below and above the timeout of the service's client. A call of six round trips meets its deadline. */
const slow = 0.3 * requestTimeoutMs;
const stalled = 1.5 * requestTimeoutMs;
const maxDelay = 300;

const writes = ["PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems", "BatchWriteItem"];
const reads = ["GetItem", "BatchGetItem", "Query"];

/** Transactions only conflict on users' records and items. */
const mayConflict = ({ operation, input }: Command) =>
  operation === "TransactWriteItems" || (writes.includes(operation) && /^USER#/.test((input.Key ?? input.Item)?.pk.S));

const failure = (status: number, name: string, details: object = {}): Reply => ({
  status,
  body: JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${name}`, message: name, ...details }),
});

/** A refusal of a command: a transaction has a reason for each item, other commands have an error name. */
function refusal({ operation, input }: Command, reason: string, name: string, random: () => number): Reply {
  if (operation !== "TransactWriteItems") return failure(400, name);
  const guilty = Math.floor(random() * input.TransactItems.length);
  const CancellationReasons = input.TransactItems.map((_: unknown, i: number) => ({
    Code: i === guilty ? reason : "None",
  }));
  return failure(400, "TransactionCanceledException", { CancellationReasons });
}

/** A proxy for two databases: injects faults into requests, and may answer reads from the database that lags behind. */
export class FaultProxy {
  /** Faults that happened, and reads that the lagging database answered. */
  readonly met: Partial<Record<Fault | "lag", number>> = {};
  readonly url: string;
  readonly stop: () => Promise<void>;
  #shares: FaultShares = {};
  #lag: (Lag & { since: number }) | undefined;
  readonly #random: () => number;
  readonly #primary: string;
  readonly #replica: string;
  /** Writes that the lagging database has not seen yet. */
  readonly #unseen: { at: number; command: Command }[] = [];
  #lastWrite: Promise<unknown> = Promise.resolve();
  #lastReplay: Promise<void> = Promise.resolve();

  private constructor(random: () => number, url: string, endpoints: [string, string], stop: () => Promise<void>) {
    this.#random = random;
    this.url = url;
    [this.#primary, this.#replica] = endpoints;
    this.stop = stop;
  }

  static async start(random: () => number): Promise<FaultProxy> {
    const [primary, replica] = await Promise.all([startDynamodb(), startDynamodb()]);
    const server = await startProxy((request, body) => proxy.#answer(commandOf(request, body)));
    const proxy = new FaultProxy(random, server.url, [primary.endpoint, replica.endpoint], async () => {
      server.stop();
      await Promise.all([primary.stop(), replica.stop()]);
    });
    return proxy;
  }

  /** Begins faults; the lagging database has all earlier writes. */
  async fail(shares: FaultShares, lag?: Lag): Promise<void> {
    if (lag) await this.#replay();
    this.#shares = shares;
    this.#lag = lag && { ...lag, since: performance.now() };
  }

  /** Ends all faults but the stalls under way. */
  heal(): void {
    this.#shares = {};
    this.#lag = undefined;
  }

  /** The database's reply; undefined if the connection ends without one. */
  async #answer(command: Command): Promise<Reply | undefined> {
    const { operation, input } = command;
    switch (this.#draw(command)) {
      case undefined:
        return this.#run(command);
      case "throttle":
        return refusal(command, "ThrottlingError", "ProvisionedThroughputExceededException", this.#random);
      case "failure":
        if (this.#random() < 0.5) await this.#run(command);
        return failure(500, "InternalServerError");
      case "delay": {
        const before = this.#random() < 0.5;
        const delay = this.#random() * maxDelay;
        if (before) await pause(delay);
        const reply = await this.#run(command);
        if (!before) await pause(delay);
        return reply;
      }
      case "slow":
        await pause(slow);
        return this.#run(command);
      case "stall":
        await pause(stalled);
        return this.#run(command);
      case "dropBefore":
        return undefined;
      case "dropAfter":
        await this.#run(command);
        return undefined;
      case "conflict":
        return refusal(command, "TransactionConflict", "TransactionConflictException", this.#random);
      case "partial":
        if (operation === "BatchGetItem") return this.#readHalf(command);
        return this.#run({ ...command, input: { ...input, Limit: Math.min(input.Limit ?? 3, 3) } });
    }
  }

  /** A random fault for a request, from the possible faults of its operation. */
  #draw(command: Command): Fault | undefined {
    const { operation } = command;
    if (!writes.includes(operation) && !reads.includes(operation)) return undefined;
    let drawn = this.#random();
    for (const [fault, share] of Object.entries(this.#shares) as [Fault, number][]) {
      drawn -= share;
      if (drawn >= 0) continue;
      if (fault === "conflict" && !mayConflict(command)) return undefined;
      if (fault === "partial" && operation !== "BatchGetItem" && operation !== "Query") return undefined;
      this.met[fault] = (this.met[fault] ?? 0) + 1;
      return fault;
    }
    return undefined;
  }

  async #readHalf(command: Command): Promise<Reply> {
    const [[table, { Keys, ...options }]] = Object.entries(command.input.RequestItems) as [
      [string, { Keys: object[] }],
    ];
    const half = Math.ceil(Keys.length / 2);
    const RequestItems = { [table]: { ...options, Keys: Keys.slice(0, half) } };
    const reply = await this.#run({ ...command, input: { ...command.input, RequestItems } });
    if (reply.status !== 200 || half === Keys.length) return reply;
    const UnprocessedKeys = { [table]: { ...options, Keys: Keys.slice(half) } };
    return { ...reply, body: JSON.stringify({ ...JSON.parse(reply.body), UnprocessedKeys }) };
  }

  async #run(command: Command): Promise<Reply> {
    if (!reads.includes(command.operation)) return this.#write(command);
    if (!this.#mayBeOld(command)) return send(this.#primary, command);
    this.met.lag = (this.met.lag ?? 0) + 1;
    await this.#replay();
    return send(this.#replica, command);
  }

  /** One at a time, because the lagging database must apply writes in the same order. */
  #write(command: Command): Promise<Reply> {
    const reply = this.#lastWrite.then(async () => {
      const reply = await send(this.#primary, command);
      const at = writes.includes(command.operation) ? performance.now() : Number.NEGATIVE_INFINITY;
      if (reply.status === 200) this.#unseen.push({ at, command });
      return reply;
    });
    this.#lastWrite = reply.catch(() => {});
    return reply;
  }

  #mayBeOld({ input }: Command): boolean {
    if (!this.#lag) return false;
    const [batch] = Object.values(input.RequestItems ?? {}) as { ConsistentRead?: boolean }[];
    return (batch ?? input).ConsistentRead !== true;
  }

  #replay(): Promise<void> {
    this.#lastReplay = this.#lastReplay.then(async () => {
      const { milliseconds = 0, since = 0 } = this.#lag ?? {};
      const seenUntil = Math.max(since, performance.now() - milliseconds);
      for (;;) {
        const [next] = this.#unseen;
        if (!next || next.at > seenUntil) return;
        this.#unseen.shift();
        const { status, body } = await send(this.#replica, next.command);
        if (status !== 200) throw new Error(`the lagging database does not follow: ${body}`);
      }
    });
    return this.#lastReplay;
  }
}

function commandOf(request: IncomingMessage, body: Buffer): Command {
  const kept = ["content-type", "x-amz-target", "x-amz-date", "authorization"];
  return {
    operation: operationOf(request),
    input: JSON.parse(body.toString()),
    headers: Object.fromEntries(kept.map((name) => [name, String(request.headers[name])])),
  };
}

async function send(endpoint: string, { input, headers }: Command): Promise<Reply> {
  const response = await fetch(endpoint, { method: "POST", headers, body: JSON.stringify(input) });
  return { status: response.status, body: await response.text() };
}
