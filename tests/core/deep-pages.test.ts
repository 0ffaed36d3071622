// SPDX-License-Identifier: MIT

import { setTimeout as pause } from "node:timers/promises";
import { type DynamoDBDocumentClient, QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { ItemAnswer, TestUser } from "@reading-list/testing/client.ts";
import { interceptCommands } from "@reading-list/testing/intercept-commands.ts";
import { runs } from "@reading-list/testing/property-runs.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import fc from "fast-check";
import { beforeAll, beforeEach, expect, test } from "vitest";

let service: TestService;
let user: TestUser;
/** Items that queries have read. */
let lookedAt = 0;
/** Maximum random delay of a command in ms, so that commands of concurrent calls interleave. */
let delay = 0;

function counted(client: DynamoDBDocumentClient): DynamoDBDocumentClient {
  return interceptCommands<{ ScannedCount?: number }>(client, async (command, send) => {
    await pause(Math.random() * delay);
    const answer = await send(command);
    await pause(Math.random() * delay);
    if (command instanceof QueryCommand) lookedAt += answer.ScannedCount ?? 0;
    return answer;
  });
}

const listed = 990;
const url = (i: number) => `http://example.com/${i}`;
const entries = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => ({ url: url(from + i) }));

beforeAll(async () => {
  service = await startTestService({}, { wrapClient: counted });
});

/** A list with every third item unread; 45 of its items were changed in each second. */
beforeEach(async () => {
  user = await service.newUser();
  for (let from = 0; from < listed; from += 45) {
    const added = entries(from, from + 45);
    await user.send({ new: added, read: added.filter((_, i) => i % 3 > 0) });
    service.clock.advance(1);
  }
});

const state = fc.constantFrom("", "unread", "read");
const someOf = fc.uniqueArray(fc.nat({ max: listed + 50 }), { minLength: 1, maxLength: 12 });
const step = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({ page: fc.integer({ min: 1, max: 60 }), count: fc.integer({ min: 7, max: 30 }), state }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ walkTo: fc.integer({ min: 4, max: 12 }), count: fc.integer({ min: 7, max: 40 }), state }),
  },
  fc.record({ added: someOf, pause: fc.nat({ max: 1 }) }),
  fc.record({ read: someOf, pause: fc.nat({ max: 1 }) }),
  fc.record({ titled: someOf, pause: fc.nat({ max: 1 }) }),
);

test("a page is the same part of the list, regardless of earlier reads and changes", async () => {
  /** Lists since the last write, by query. */
  const wholes = new Map<string, ItemAnswer[]>();
  const checkPage = async (query: { page: number; count: number; state: string; since?: number }) => {
    const { page, count, ...others } = query;
    const name = JSON.stringify(others);
    const whole = wholes.get(name) ?? (await user.items(others));
    wholes.set(name, whole);
    expect(await user.items(query)).toEqual(whole.slice((page - 1) * count, page * count));
  };
  let titles = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 10 }), async (steps) => {
      for (const each of steps) {
        if ("page" in each) {
          await checkPage(each);
          await checkPage({ ...each, since: service.clock.seconds() - 30 });
        } else if ("walkTo" in each) {
          const { walkTo, ...query } = each;
          for (let page = 1; page <= walkTo; page++) await checkPage({ ...query, page });
        } else {
          wholes.clear();
          if ("added" in each) await user.send({ new: each.added.map((i) => ({ url: url(i) })) });
          if ("read" in each) await user.send({ read: each.read.map((i) => ({ url: url(i) })) });
          if ("titled" in each)
            await user.send({ update_title: each.titled.map((i) => ({ url: url(i), title: `t${titles++}` })) });
          service.clock.advance(each.pause);
        }
      }
    }),
    runs(10),
  );
});

test.each(["", "unread", "read"])(
  "each page of state '%s' reads few items if the list is fetched page by page and does not change",
  async (each) => {
    const count = 30;
    for (let page = 1; ; page++) {
      lookedAt = 0;
      const items = await user.items({ count, page, state: each });
      expect(lookedAt).toBeLessThanOrEqual(2 * (50 + count));
      if (items.length < count) break;
    }
  },
);

test("the last page reads few items, even if it is fetched first", async () => {
  for (const [each, total] of [
    ["", listed],
    ["unread", listed / 3 + 30],
    ["read", (2 * listed) / 3 - 30],
  ] as const) {
    const whole = await user.items({ state: each });
    expect(Math.abs(whole.length - total)).toBeLessThan(60);
    const page = Math.ceil(whole.length / 30);
    service.clock.advance(131);
    lookedAt = 0;
    expect(await user.items({ count: 30, page, state: each })).toEqual(whole.slice((page - 1) * 30));
    expect(lookedAt).toBeLessThanOrEqual(60);
  }
});

test("clients that fetch pages of one list at different speeds all get the right pages", async () => {
  const whole = await user.items();
  for (let page = 2; page <= 16; page++) {
    for (const [count, pace] of [
      [30, page],
      [20, 30 + page],
      [25, 10 + page],
    ] as const) {
      lookedAt = 0;
      expect(await user.items({ count, page: pace })).toEqual(whole.slice((pace - 1) * count, pace * count));
      if (page > 2) expect(lookedAt).toBeLessThanOrEqual(2 * (50 + count));
    }
  }
});

test("pages are right after concurrent writes", async () => {
  const walks = () =>
    [
      { count: 60, state: "" },
      { count: 31, state: "read" },
      { count: 32, state: "unread" },
    ].map(async (query) => {
      for (let page = 2; page <= 9; page++) await user.items({ ...query, page });
    });
  const write = async (from: number) => {
    // Fewer writes on a slow machine.
    const end = performance.now() + 6000;
    for (let i = 0; i < 12 && performance.now() < end; i++) {
      const touched = entries(from + 40 * i, from + 40 * i + 4);
      await user.send(i % 2 ? { read: touched } : { new: touched });
    }
  };
  const writes = () => [0, 5, 10, 15, 20, 25, 30].map(write);
  await Promise.all(walks());
  delay = 4;
  await Promise.all(writes());
  await Promise.all([...walks(), write(0), write(13), write(27)]);
  delay = 0;
  for (const state of ["", "read", "unread"]) {
    const whole = await user.items({ state });
    for (let page = 2; page <= whole.length / 30; page++) {
      expect(await user.items({ state, page, count: 30 })).toEqual(whole.slice(30 * page - 30, 30 * page));
    }
  }
});
