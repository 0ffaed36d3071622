// SPDX-License-Identifier: MIT

import { type DynamoDBDocumentClient, QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { TestUser } from "@reading-list/testing/client.ts";
import { interceptCommands } from "@reading-list/testing/intercept-commands.ts";
import { startDynamodbService, type TestService } from "@reading-list/testing/test-service.ts";
import { WallabagDevice } from "@reading-list/testing/wallabag-device.ts";
import { beforeAll, beforeEach, expect, test } from "vitest";

let service: TestService;
let user: TestUser;
/** Runs after the next call was counted, right before its query. */
let meanwhile: (() => Promise<unknown>) | undefined;
/** Maximum items that one query of an index returns; if undefined, the test sets no limit. */
let queryLimit: number | undefined;
/** Queries before the one that `meanwhile` precedes. */
let queriesBefore = 0;

function withInterruption(client: DynamoDBDocumentClient): DynamoDBDocumentClient {
  return interceptCommands(client, async (command, send) => {
    if (command instanceof QueryCommand && queryLimit) command.input.Limit = queryLimit;
    const happen = command instanceof QueryCommand && meanwhile && queriesBefore-- <= 0 ? meanwhile : undefined;
    if (happen) meanwhile = undefined;
    await happen?.();
    return send(command);
  });
}

beforeAll(async () => {
  service = await startDynamodbService({}, { wrapClient: withInterruption });
});
beforeEach(async () => {
  user = await service.newUser();
  await user.send({ new: Array.from({ length: 12 }, (_, i) => ({ url: url(12 - i) })) });
  service.clock.advance(1);
  queryLimit = undefined;
  queriesBefore = 0;
});

const url = (i: number) => `http://example.com/${i}`;
const interruptions: [string, () => Promise<unknown>][] = [
  ["is marked read", () => user.send({ read: [{ url: url(2) }] })],
  ["is deleted", () => user.send({ delete: [{ url: url(2) }] })],
  ["moves to the top", () => user.add(url(2))],
  [
    "moves to the top together with one of the last page",
    () => user.send({ new: [{ url: url(2) }, { url: url(11) }] }),
  ],
];

const walks = interruptions.flatMap(([what, interrupt]) =>
  [2, 3].flatMap((page) => ["unread pages", "pages of changes"].map((walked) => ({ what, interrupt, page, walked }))),
);

test.each(walks)(
  "a client that walks $walked sees every item, if one of an earlier page $what while page $page is read",
  async ({ interrupt, page: interruptedPage, walked }) => {
    const query = walked === "unread pages" ? { state: "unread" } : { since: service.clock.seconds() - 60 };
    const seen = new Set<string>();
    let since = "";
    for (const page of [1, 2, 3]) {
      if (page === interruptedPage) meanwhile = interrupt;
      const answer = await user.get({ ...query, count: 4, page });
      for (const item of Object.values(answer.list)) seen.add(item.url);
      since = answer.since;
    }
    for (const item of await user.items({ ...query, since })) seen.add(item.url);
    for (const item of await user.items({ state: "unread" })) expect(seen).toContain(item.url);
  },
);

test("a first page is full if items change while it is read, and the next sync has these changes", async () => {
  await user.add(url(0));
  service.clock.advance(1);
  meanwhile = () => user.send({ new: [{ url: url(99) }], delete: [{ url: url(1) }], read: [{ url: url(2) }] });
  const { since, list } = await user.get({ count: 4 });
  expect(Object.values(list).map((item) => item.url)).toEqual([2, 99, 0, 3].map(url));
  for (const item of Object.values(list)) {
    expect(Number(item.time_updated)).toBeLessThanOrEqual(Number(since));
    expect(Number(item.time_added)).toBeLessThanOrEqual(Number(item.time_updated));
  }
  const next = await user.get({ since, deleted: 1 });
  expect(Object.values(next.list).map((item) => item.url)).toEqual([url(2), url(99)]);
  expect(Object.keys(next.deleted ?? {})).toHaveLength(1);
});

test.each([{}, { count: 4 }, { count: 4, state: "unread" }, { myAppOnly: 1 }])(
  "a change while changes are read with %o is only in the next sync, and no since goes back",
  async (parameters) => {
    const first = await user.get();
    service.clock.advance(1);
    await user.add(url(98));
    meanwhile = () => user.send({ new: [{ url: url(2) }, { url: url(99) }] });
    const second = await user.get({ ...parameters, since: first.since });
    const third = await user.get({ ...parameters, since: second.since });
    const urlsOf = ({ list }: typeof first) => Object.values(list).map((item) => item.url);
    expect(urlsOf(second)).toEqual([url(98)]);
    expect(urlsOf(third)).toEqual([url(99), url(2)]);
    for (const [before, { since, list }] of [[first, second] as const, [second, third] as const]) {
      expect(Number(since)).toBeGreaterThanOrEqual(Number(before.since));
      for (const item of Object.values(list)) expect(Number(item.time_updated)).toBeGreaterThan(Number(before.since));
    }
  },
);

test("a page as long as the list is not complete if an item is added while it is read", async () => {
  meanwhile = () => user.add(url(99));
  expect(await user.get({ count: 12 })).not.toHaveProperty("complete");
  expect(await user.get({ count: 13 })).toHaveProperty("complete", "1");
});

test("an app for wallabag whose first listing overlaps a change gets the next change of the same second", async () => {
  const device = await new WallabagDevice(service, user.credentials).signIn({ client_id: service.apiKey });
  meanwhile = () => user.add(url(99));
  await device.sync();
  await user.add(url(98));
  await device.sync();
  expect(device.shown().map((item) => item.url)).toContain(url(98));
});

test("a whole list has an item that moves to the top between two queries of it", async () => {
  service.clock.advance(200);
  queryLimit = 4;
  queriesBefore = 1;
  meanwhile = () => user.add(url(7));
  expect(Object.keys((await user.get()).list)).toHaveLength(12);
});

test("a page that begins where the last one ended is counted again if an item moves to the top in the meantime", async () => {
  service.clock.advance(200);
  await user.get({ count: 4, page: 2 });
  meanwhile = () => user.add(url(10));
  const { list } = await user.get({ count: 4, page: 3 });
  expect(Object.keys(list)).toHaveLength(4);
});
