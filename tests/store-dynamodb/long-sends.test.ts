// SPDX-License-Identifier: MIT

import { setTimeout as pause } from "node:timers/promises";
import { BatchGetCommand, type DynamoDBDocumentClient, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { extendDeadline } from "@reading-list/core/call-scope.ts";
import type { TestUser } from "@reading-list/testing/client.ts";
import { interceptCommands } from "@reading-list/testing/intercept-commands.ts";
import { startDynamodbService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, beforeEach, expect, test } from "vitest";

let service: TestService;
let user: TestUser;
let transactions = 0;
let itemsRead = 0;
/** The number of transactions after which the database fails, or does not answer in time; none if undefined. */
let failAfter: number | undefined;
let fault: "error" | "outOfTime" = "error";

function withFailure(client: DynamoDBDocumentClient): DynamoDBDocumentClient {
  return interceptCommands(client, (command, send) => {
    if (command instanceof BatchGetCommand) {
      for (const { Keys = [] } of Object.values(command.input.RequestItems ?? {})) itemsRead += Keys.length;
    }
    if (!(command instanceof TransactWriteCommand)) return send(command);
    if (failAfter !== undefined && transactions >= failAfter) {
      if (fault === "outOfTime") extendDeadline(0);
      return pause(10).then(() => Promise.reject(new Error("the database has failed")));
    }
    transactions += 1;
    return send(command);
  });
}

beforeAll(async () => {
  service = await startDynamodbService({}, { wrapClient: withFailure });
});
beforeEach(async () => {
  user = await service.newUser();
});

const entries = (count: number) => Array.from({ length: count }, (_, i) => ({ url: `http://example.com/${i}` }));

/** Sends changes to a database that fails after some transactions. */
async function sendWithFailure(changes: Record<string, unknown>, after: number, kind: typeof fault = "error") {
  fault = kind;
  transactions = 0;
  failAfter = after;
  try {
    return await user.send(changes);
  } finally {
    failAfter = undefined;
    transactions = 0;
  }
}

const later = { new: entries(500), update_tags: entries(500).map((entry) => ({ ...entry, tags: "a" })) };

test("the retry of an interrupted send of 500 pages reads and writes only the rest, in order", async () => {
  expect((await sendWithFailure(later, 3)).status).toBe(503);
  expect((await user.stats()).count_list).toBe(String(3 * 99));
  itemsRead = 0;
  expect((await user.send(later)).status).toBe(200);
  expect([transactions, itemsRead]).toEqual([3, 500 - 3 * 99]);
  expect((await user.items()).map(({ url }) => url)).toEqual(
    entries(500)
      .map(({ url }) => url)
      .reverse(),
  );
});

test("retries of a send of 500 pages succeed even if each of them is interrupted", async () => {
  const changes = { new: entries(500), delete: entries(500).filter((_, i) => i % 2) };
  for (let attempt = 0; attempt < 5; attempt++) expect((await sendWithFailure(changes, 1)).status).toBe(503);
  expect((await sendWithFailure(changes, 1)).status).toBe(200);
  expect((await user.stats()).count_list).toBe("250");
});

test("the retry continues although other devices write meanwhile, also batches", async () => {
  const other = { new: entries(250).map(({ url }) => ({ url: `${url}/other` })) };
  expect((await sendWithFailure(later, 2)).status).toBe(503);
  expect((await sendWithFailure(other, 1)).status).toBe(503);
  await user.add("http://example.com/else");
  expect((await user.send({ new: entries(150) })).status).toBe(200);
  transactions = 0;
  expect((await user.send(later)).status).toBe(200);
  expect((await user.send(other)).status).toBe(200);
  expect(transactions).toBe(4 + 2);
  expect((await user.stats()).count_list).toBe("751");
});

test.each([
  ["after it was finished", async () => void (await user.send(later))],
  [
    "after it was finished by a step that changes nothing",
    async () => {
      const rest = later.new.slice(3 * 99);
      await user.send({ new: rest, update_tags: rest.map((entry) => ({ ...entry, tags: "a" })), read: rest });
      await user.send(later);
    },
  ],
  ["a day later", async () => service.clock.advance(86_400)],
])("the same request is applied as a whole %s", async (_, meanwhile) => {
  expect((await sendWithFailure(later, 3)).status).toBe(503);
  await meanwhile();
  await user.send({ delete: entries(99) });
  transactions = 0;
  await user.send(later);
  expect((await user.stats()).count_list).toBe("500");
});

test("another send after an interrupted one is applied as a whole", async () => {
  expect((await sendWithFailure({ new: entries(300) }, 2)).status).toBe(503);
  expect((await user.send({ new: entries(299) })).status).toBe(200);
  expect((await user.stats()).count_list).toBe("299");
});

test("a send whose time runs out says so, and to send it again", async () => {
  const answer = await sendWithFailure(later, 2, "outOfTime");
  expect([answer.status, answer.headers.get("retry-after"), answer.headers.get("x-error")]).toEqual([
    503,
    "1",
    "time ran out before all entries were applied; send the same request again to continue",
  ]);
});
