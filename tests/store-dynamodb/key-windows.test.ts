// SPDX-License-Identifier: MIT

import { randomUUID } from "node:crypto";
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { KeyWindowStore } from "@reading-list/core/ports/applications.ts";
import { createKeyWindowStore } from "@reading-list/store-dynamodb/key-windows.ts";
import { FakeClock } from "@reading-list/testing/fake-clock.ts";
import { runs } from "@reading-list/testing/property-runs.ts";
import { startDynamodbService, type TestService } from "@reading-list/testing/test-service.ts";
import fc from "fast-check";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";

let service: TestService;
const clock = new FakeClock();
let writes = 0;
let isThrottled = false;
let id = "";

beforeAll(async () => {
  service = await startDynamodbService();
});

beforeEach(() => {
  id = randomUUID();
  isThrottled = false;
  writes = 0;
});

/** Stores of so many processes on one table. */
function startProcesses(count: number): [KeyWindowStore, ...KeyWindowStore[]] {
  const { client, tableName } = service.table;
  const send = client.send.bind(client) as (command: object) => Promise<unknown>;
  const observed = {
    send: async (command: object) => {
      if (command.constructor.name !== "UpdateCommand") return send(command);
      writes++;
      if (isThrottled) throw new Error("throttled");
      return send(command);
    },
  } as unknown as DynamoDBDocumentClient;
  const start = () => createKeyWindowStore({ client: observed, tableName }, clock);
  return [start(), ...Array.from({ length: count - 1 }, start)];
}

const call = (store: KeyWindowStore, limit: number, calls = 1) => store.countCall(id, 0, limit, calls);
const advance = (milliseconds: number) => clock.advance(milliseconds / 1000);

describe("the calls of a key", () => {
  test("are exact in all processes if each makes less than a call a second, including undone calls", async () => {
    const step = fc.record({ process: fc.nat(4), isUndone: fc.boolean(), pause: fc.integer({ min: 1000, max: 3000 }) });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(1, 7, 5000), fc.array(step, { minLength: 20 }), async (limit, steps) => {
        id = randomUUID();
        const stores = startProcesses(5);
        let made = 0;
        for (const { process, isUndone, pause } of steps) {
          const store = stores[process] as KeyWindowStore;
          const answer = await call(store, limit);
          expect(answer).toEqual({ counted: made < limit, calls: Math.min(made + 1, limit) });
          if (answer.counted && isUndone) await store.addCalls(id, 0, -1);
          else if (answer.counted) made++;
          expect(await (stores[(process + 1) % 5] as KeyWindowStore).read(id, 0)).toBe(made);
          advance(pause);
        }
      }),
      runs(5),
    );
  });

  test("are exact up to the limit if it is 100 or less, however fast they come", async () => {
    const stores = startProcesses(5);
    const answers = await Promise.all(
      Array.from({ length: 150 }, (_, i) => call(stores[i % 5] as KeyWindowStore, 100)),
    );
    expect(answers.filter(({ counted }) => counted)).toHaveLength(100);
  });

  test("exceed the limit by 1 % for each process at most", async () => {
    const stores = startProcesses(5);
    let admitted = 0;
    for (let i = 0; i < 3000; i++) if ((await call(stores[i % 5] as KeyWindowStore, 1000)).counted) admitted++;
    expect(admitted).toBeGreaterThanOrEqual(1000);
    expect(admitted).toBeLessThanOrEqual(1050);
  });

  test("are written about once a second by each process", async () => {
    const [store] = startProcesses(1);
    for (let i = 0; i < 1000; i++) {
      await call(store, 1_000_000);
      advance(10);
    }
    expect(writes).toBe(10);
    advance(1000);
    expect((await call(store, 1_000_000)).calls).toBe(1001);
    expect(await startProcesses(1)[0].read(id, 0)).toBe(1001);
  });

  test("are admitted while the record is throttled, with one try a second, and counted afterwards", async () => {
    const [store] = startProcesses(1);
    isThrottled = true;
    for (let i = 0; i < 50; i++) {
      expect((await call(store, 10_000)).counted).toBe(true);
      advance(100);
    }
    expect(writes).toBe(5);
    isThrottled = false;
    advance(1000);
    await call(store, 10_000);
    expect(await startProcesses(1)[0].read(id, 0)).toBe(51);
  });

  test("of a call that counts many must fit, unless the window is still unused", async () => {
    const [store, other] = startProcesses(2) as [KeyWindowStore, KeyWindowStore];
    expect(await call(store, 10, 25)).toEqual({ counted: true, calls: 25 });
    expect(await call(other, 10, 1)).toEqual({ counted: false, calls: 25 });
    id = randomUUID();
    expect(await call(store, 10, 6)).toEqual({ counted: true, calls: 6 });
    expect(await call(other, 10, 5)).toEqual({ counted: false, calls: 6 });
    expect(await call(other, 10, 4)).toEqual({ counted: true, calls: 10 });
  });

  test("of the end of a window are written with the first one of the next", async () => {
    const [store] = startProcesses(1);
    for (let i = 0; i < 3; i++) await call(store, 10_000);
    await store.countCall(id, 3600, 10_000, 1);
    expect(await startProcesses(1)[0].read(id, 0)).toBe(3);
  });

  test("are not granted if the limit is 0", async () => {
    expect(await call(startProcesses(1)[0], 0)).toEqual({ counted: false, calls: 0 });
  });
});
