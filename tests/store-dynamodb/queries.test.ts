// SPDX-License-Identifier: MIT

import { type DynamoDBDocumentClient, QueryCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import type { TestUser } from "@reading-list/testing/client.ts";
import { interceptCommands } from "@reading-list/testing/intercept-commands.ts";
import { startDynamodbService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, expect, test } from "vitest";

let service: TestService;
let user: TestUser;
let otherKey: string;
let queries = 0;
let transactions = 0;
/** Sequential commands: commands that start while no other is in progress. */
let steps = 0;
let underWay = 0;

/** Counts the queries of the index, the transactions, and the steps. */
function counted(client: DynamoDBDocumentClient): DynamoDBDocumentClient {
  return interceptCommands(client, async (command, send) => {
    if (command instanceof QueryCommand) queries += 1;
    if (command instanceof TransactWriteCommand) transactions += 1;
    if (underWay++ === 0) steps += 1;
    try {
      return await send(command);
    } finally {
      underWay--;
    }
  });
}

beforeAll(async () => {
  service = await startDynamodbService({}, { wrapClient: counted });
  user = await service.newUser();
  otherKey = await service.newApiKey();
  await user.add("http://example.com/by-other", { apikey: otherKey });
  service.clock.advance(1);
  const entries = Array.from({ length: 600 }, (_, i) => ({ url: `http://example.com/${i}` }));
  await user.send({ new: entries, read: entries.filter((_, i) => i % 2) });
  service.clock.advance(1);
  await user.add("http://example.com/newest");
  service.clock.advance(131);
});

const queriesOf = async (parameters: Record<string, string | number>) => {
  queries = 0;
  const items = await user.items(parameters);
  return { queries, found: items.length };
};

test.each([{}, { state: "unread" }, { state: "read" }, { since: 0 }])("a page of %o takes one query", async (list) => {
  expect(await queriesOf({ ...list, count: 30 })).toEqual({ queries: 1, found: 30 });
});

test("a page of one application's items takes few queries, however many others there are", async () => {
  const rare = { count: 1, state: "unread", myAppOnly: 1, apikey: otherKey };
  expect(await queriesOf(rare)).toEqual({ queries: 1, found: 1 });
  expect(await queriesOf({ count: 30, state: "unread", myAppOnly: 1 })).toEqual({ queries: 1, found: 30 });
});

test("a page behind the end of the list takes no query", async () => {
  expect(await queriesOf({ count: 30, page: 1000 })).toEqual({ queries: 0, found: 0 });
});

test("a send takes one transaction for every 99 items that it changes, and a page within two minutes two queries", async () => {
  const entries = Array.from({ length: 250 }, (_, i) => ({ url: `http://example.com/${i}` }));
  service.clock.advance(1);
  transactions = 0;
  await user.send({ new: entries });
  expect(transactions).toBe(3);
  expect(await queriesOf({ count: 30 })).toEqual({ queries: 2, found: 30 });
});

test.each([
  ["auth", 1, {}],
  ["get, nothing new", 1, { since: "now" }],
  ["get, a change of a minute ago", 3, { since: "before" }],
  ["add, a new page", 2, { url: "http://example.com/in-two-steps" }],
  ["add, a saved page", 2, { url: "http://example.com/1" }],
  ["send, the first deletion of a day", 2, { delete: '[{"url":"http://example.com/3"}]' }],
  ["send, a restoration", 2, { restore: '[{"url":"http://example.com/3"}]' }],
  [
    "send, ten pages",
    2,
    { new: JSON.stringify(Array.from({ length: 10 }, (_, i) => ({ url: `http://t.example/${i}` }))) },
  ],
] as const)("%s: %i steps in the database", async (call, expected, parameters: Record<string, string>) => {
  const before = await user.get();
  service.clock.advance(1);
  await user.add(`http://example.com/before ${call}`);
  service.clock.advance(60);
  const now = await user.get();
  const [endpoint = ""] = call.split(",");
  const since = { now: now.since, before: before.since }[parameters.since ?? ""];
  steps = 0;
  await user.ok(endpoint as "add", { ...parameters, ...(since && { since }) });
  expect(steps).toBe(expected);
});
