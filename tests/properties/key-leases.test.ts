import { randomUUID } from "node:crypto";
import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { type DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
import { leaseMs } from "@reading-list/core/domain/key-lease.ts";
import { windowAt } from "@reading-list/core/domain/limits.ts";
import { type KeyWindowStore, secondsOf } from "@reading-list/core/ports.ts";
import { createKeyWindowStore } from "@reading-list/store/key-windows.ts";
import { windowKey } from "@reading-list/store/keys.ts";
import { FakeClock } from "@reading-list/testing/fake-clock.ts";
import { runs } from "@reading-list/testing/property-runs.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";

const processes = 50;
const hour = 3600;

/** The fate of a request. The client sends a request without an answer up to three times. */
type Fate = "arrives" | "arrives, and its answer is lost" | "is lost";

let service: TestService;
let nextFate: (isGivingBack: boolean) => Fate = () => "arrives";

beforeAll(async () => {
  service = await startTestService({}, { wrapClient: withFates });
});

function withFates(client: DynamoDBDocumentClient): DynamoDBDocumentClient {
  client.middlewareStack.add(
    (next) => async (args) => {
      const { ExpressionAttributeValues: values } = args.input as {
        ExpressionAttributeValues?: Record<string, { N: string }>;
      };
      const fate = nextFate(Number(values?.[":step"]?.N) < 0);
      const answer = fate === "is lost" ? undefined : await next(args);
      if (fate !== "arrives" || !answer) throw Object.assign(new Error(fate), { name: "TimeoutError" });
      return answer;
    },
    { step: "finalizeRequest", priority: "low" },
  );
  const token = (retries: number) => ({ getRetryCount: () => retries, getRetryDelay: () => 0 });
  client.config.retryStrategy = async () => ({
    acquireInitialRetryToken: async () => token(0),
    refreshRetryTokenForRetry: async (last, { error, errorType }) => {
      if (errorType !== "TRANSIENT" || last.getRetryCount() === 2) throw error;
      return token(last.getRetryCount() + 1);
    },
    recordSuccess: () => {},
  });
  return client;
}

/** Processes that share a key, its record, and a log of calls and answers. */
class SharedKey {
  readonly clock = new FakeClock();
  readonly limit: number;
  readonly stores: KeyWindowStore[];
  writes = 0;
  readonly #applicationId = randomUUID();
  /** By window: calls admitted and not undone. */
  readonly #calls = new Map<number, number>();
  /** Answers to reads of the record since the last write, by window: 50 processes show the same record. */
  readonly #reads = new Map<number, Promise<unknown>>();
  /** When the record last had as many calls as the limit, in milliseconds. */
  #fullAt = Number.NEGATIVE_INFINITY;

  constructor(limit: number) {
    this.limit = limit;
    const { client, tableName } = service.table;
    const send = client.send.bind(client) as (command: unknown) => Promise<unknown>;
    const observed = {
      send: async (command: unknown) => {
        if (command instanceof GetCommand) return this.#read(send, command);
        this.writes++;
        this.#reads.clear();
        try {
          const answer = (await send(command)) as { Attributes?: { calls: number } };
          if (Number(answer.Attributes?.calls) >= this.limit) this.#fullAt = this.clock.now();
          return answer;
        } catch (error) {
          const isFull = error instanceof ConditionalCheckFailedException && Number(error.Item?.calls?.N) >= this.limit;
          if (isFull) this.#fullAt = this.clock.now();
          throw error;
        }
      },
    } as unknown as DynamoDBDocumentClient;
    this.stores = Array.from({ length: processes }, () =>
      createKeyWindowStore({ client: observed, tableName }, this.clock),
    );
  }

  #read(send: (command: unknown) => Promise<unknown>, command: GetCommand): Promise<unknown> {
    const answer = this.#reads.get(this.window) ?? send(command);
    this.#reads.set(this.window, answer);
    return answer;
  }

  get window(): number {
    return windowAt(secondsOf(this.clock), hour).start;
  }

  /** Calls of the current window. */
  get made(): number {
    return this.#calls.get(this.window) ?? 0;
  }

  storeOf(process: number): KeyWindowStore {
    return this.stores[process % processes] as KeyWindowStore;
  }

  /** Makes a call; undefined if the database failed it. */
  async call(process: number): Promise<{ counted: boolean; calls: number } | undefined> {
    const { window } = this;
    const answer = await this.storeOf(process)
      .countCall(this.#applicationId, window, this.limit)
      .catch(() => undefined);
    if (answer?.counted) this.#calls.set(window, (this.#calls.get(window) ?? 0) + 1);
    if (answer?.counted === false) {
      expect(answer.calls).toBeGreaterThanOrEqual(this.limit);
      expect(this.clock.now() - this.#fullAt).toBeLessThan(leaseMs);
    }
    return answer;
  }

  /** Undoes a call that this process has counted. */
  async uncall(process: number): Promise<void> {
    this.#calls.set(this.window, this.made - 1);
    await this.storeOf(process)
      .uncountCall(this.#applicationId, this.window)
      .catch(() => {});
  }

  /** The number of calls that a process shows, without making one. */
  shownBy = (process: number) => this.storeOf(process).read(this.#applicationId, this.window);

  /** The calls in the record: made, or leased by processes. */
  async recorded(): Promise<number> {
    const { client, tableName } = service.table;
    const Key = windowKey(this.#applicationId, this.window);
    const { Item } = await client.send(new GetCommand({ TableName: tableName, Key, ConsistentRead: true }));
    return Item?.calls ?? 0;
  }
}

/** Calls within a moment: so many by each of `processes`, beginning with `first`, sequential or concurrent. */
const burst = fc.record({
  first: fc.nat(processes - 1),
  processes: fc.constantFrom(1, 5, processes),
  calls: fc.integer({ min: 1, max: 30 }),
  atOnce: fc.boolean(),
  /** One in so many calls is undone. */
  takenBack: fc.constantFrom(2, 5, 1000),
  pauseMs: fc.constantFrom(0, 1, 20, 400, leaseMs, 5000, 1000 * hour),
});
type Burst = typeof burst extends fc.Arbitrary<infer T> ? T : never;

async function run(key: SharedKey, { first, processes, calls, atOnce, takenBack, pauseMs }: Burst): Promise<void> {
  const callOnce = async (process: number, call: number) => {
    const answer = await key.call(process);
    if (answer?.counted && call % takenBack === 1) await key.uncall(process);
  };
  await Promise.all(
    Array.from({ length: processes }, async (_, place) => {
      const numbers = Array.from({ length: calls }, (_, call) => call);
      if (atOnce) await Promise.all(numbers.map((call) => callOnce(first + place, call)));
      else for (const call of numbers) await callOnce(first + place, call);
    }),
  );
  nextFate = () => "arrives";
  expect(key.made).toBeLessThanOrEqual(key.limit);
  const recorded = await key.recorded();
  const shown = await Promise.all(key.stores.map((_, process) => key.shownBy(process)));
  const held = shown.reduce((sum, calls) => sum + recorded - calls, 0);
  expect(recorded).toBeGreaterThanOrEqual(key.made + held);
  key.clock.advance(pauseMs / 1000);
}

const limit = fc.oneof(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 200, max: 1500 }), fc.constant(1_000_000));
const bursts = fc.array(burst, { minLength: 1, maxLength: 8 });

describe("50 processes that share a key", () => {
  test("never exceed its limit together, and refuse a call only if the record reached the limit within the last second", async () => {
    await fc.assert(
      fc.asyncProperty(limit, bursts, async (limit, bursts) => {
        const key = new SharedKey(limit);
        for (const burst of bursts) await run(key, burst);
      }),
      runs(8),
    );
  });

  test("never exceed it if requests and answers are lost and repeated", async () => {
    const fate = fc.constantFrom<Fate>("arrives", "arrives", "arrives, and its answer is lost", "is lost");
    await fc.assert(
      fc.asyncProperty(limit, bursts, fc.infiniteStream(fate), async (limit, bursts, fates) => {
        const key = new SharedKey(limit);
        for (const burst of bursts) {
          nextFate = () => fates.next().value as Fate;
          await run(key, burst);
        }
      }),
      runs(8),
    );
  });

  // Calls lost elsewhere would hide calls that are given back twice.
  test("never give a call back twice if the answer is lost", async () => {
    const isLost = fc.infiniteStream(fc.boolean());
    await fc.assert(
      fc.asyncProperty(bursts, isLost, async (bursts, isLost) => {
        const key = new SharedKey(1_000_000);
        for (const burst of bursts) {
          nextFate = (isGivingBack) =>
            isGivingBack && isLost.next().value ? "arrives, and its answer is lost" : "arrives";
          await run(key, burst);
        }
      }),
      runs(8),
    );
  });

  test("each show the exact number of calls, and admit exactly as many as the limit, if calls are a second apart", async () => {
    const step = fc.record({
      process: fc.nat(processes - 1),
      takenBack: fc.boolean(),
      pauseMs: fc.integer({ min: leaseMs, max: 3000 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(1, 7, 20, 5000),
        fc.array(step, { minLength: 30, maxLength: 60 }),
        async (limit, steps) => {
          const key = new SharedKey(limit);
          for (const { process, takenBack, pauseMs } of steps) {
            const { window, made } = key;
            const answer = await key.call(process);
            expect(answer).toEqual({ counted: made < limit, calls: Math.min(made + 1, limit) });
            if (answer?.counted && takenBack) await key.uncall(process);
            expect(await key.shownBy(process + 1)).toBe(key.made);
            key.clock.advance(pauseMs / 1000);
            if (key.window !== window) break;
          }
        },
      ),
      runs(8),
    );
  });

  test("show exact numbers again after a second without load and one call each", async () => {
    await fc.assert(
      fc.asyncProperty(bursts, async (bursts) => {
        const key = new SharedKey(1_000_000);
        for (const burst of bursts) await run(key, burst);
        key.clock.advance(leaseMs / 1000);
        for (const process of key.stores.keys()) {
          key.clock.advance(0.01);
          await key.call(process);
        }
        expect(await key.recorded()).toBe(key.made);
        for (const process of [0, 17, 49]) {
          expect(await key.shownBy(process)).toBe(key.made);
          key.clock.advance(leaseMs / 1000);
          expect(await key.call(process)).toEqual({ counted: true, calls: key.made });
        }
      }),
      runs(8),
    );
  });

  test("write its record at most once in 50 calls at 100 calls a second each, refused ones included, and use up the limit", async () => {
    const key = new SharedKey(30_000);
    const makeCalls = async (seconds: number) => {
      const writesBefore = key.writes;
      for (let round = 0; round < 100 * seconds; round++) {
        for (const process of key.stores.keys()) await key.call(process);
        key.clock.advance(0.01);
      }
      return (100 * processes * seconds) / (key.writes - writesBefore);
    };
    await makeCalls(2);
    expect(await makeCalls(2)).toBeGreaterThanOrEqual(50);
    await makeCalls(3);
    expect(key.made).toBe(key.limit);
    expect(await makeCalls(2)).toBeGreaterThanOrEqual(50);
  });
});

describe("one process", () => {
  test("sends one request for all waiting calls, and shows each its own number", async () => {
    const key = new SharedKey(30);
    const answers = await Promise.all(Array.from({ length: 50 }, () => key.call(0)));
    const admitted = answers.filter((answer) => answer?.counted);
    expect(admitted.map((answer) => answer?.calls)).toEqual(Array.from({ length: 30 }, (_, call) => call + 1));
    expect(key.writes).toBeLessThanOrEqual(4);
  });
});
