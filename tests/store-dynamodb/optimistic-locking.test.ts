// SPDX-License-Identifier: MIT

import { TransactionCanceledException, TransactionConflictException } from "@aws-sdk/client-dynamodb";
import { type DynamoDBDocumentClient, TransactWriteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { interceptCommands } from "@reading-list/testing/intercept-commands.ts";
import { startDynamodbService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, expect, test } from "vitest";

let service: TestService;
let conflicts = 0;

const isOfUser = (command: unknown) =>
  command instanceof UpdateCommand && String(command.input.Key?.pk).startsWith("USER#");

/** A database in which every second write conflicts on the user's record. */
function withConflicts(client: DynamoDBDocumentClient): DynamoDBDocumentClient {
  let writes = 0;
  return interceptCommands(client, async (command, send) => {
    const details = { message: "conflict", $metadata: {} };
    if (isOfUser(command) && writes++ % 2 === 0) {
      conflicts += 1;
      throw new TransactionConflictException(details);
    }
    if (command instanceof TransactWriteCommand && writes++ % 2 === 0) {
      conflicts += 1;
      throw new TransactionCanceledException({
        ...details,
        CancellationReasons: [{ Code: "TransactionConflict" }, { Code: "None" }],
      });
    }
    return send(command);
  });
}

beforeAll(async () => {
  service = await startDynamodbService({}, { wrapClient: withConflicts });
});

test("conflicting writers of one record retry until all succeed, and nothing is counted twice", async () => {
  const user = await service.newUser();
  const calls = Array.from({ length: 10 }, (_, i) => user.call("add", { url: `http://example.com/${i % 5}` }));
  expect((await Promise.all(calls)).map((answer) => answer.status)).toEqual(Array(10).fill(200));
  expect(await user.items()).toHaveLength(5);
  expect(await user.stats()).toMatchObject({ count_list: "5", count_unread: "5" });
  const { headers } = await user.call("auth");
  expect(headers.get("x-limit-user-remaining")).toBe(String(100_000 - 13));
  expect(conflicts).toBeGreaterThan(10);
});

test("a write to a partition that has reached 10 GB is 400, and not repeated", async () => {
  let isFull = false;
  let tries = 0;
  const full = await startDynamodbService(
    {},
    {
      wrapClient: (client) =>
        interceptCommands(client, (command, send) => {
          if (!isFull || !(command instanceof TransactWriteCommand)) return send(command);
          tries++;
          const CancellationReasons = [{ Code: "None" }, { Code: "ItemCollectionSizeLimitExceeded" }];
          throw new TransactionCanceledException({ message: "cancelled", $metadata: {}, CancellationReasons });
        }),
    },
  );
  const user = await full.newUser();
  isFull = true;
  const answer = await user.call("add", { url: "http://example.com/" });
  expect([answer.status, answer.headers.get("x-error")]).toEqual([400, expect.stringContaining("the list is full")]);
  expect(tries).toBe(1);
});
