import { type DynamoDBDocumentClient, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import type { TestUser } from "@reading-list/testing/client.ts";
import { interceptCommands } from "@reading-list/testing/intercept-commands.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, beforeEach, expect, test } from "vitest";

let service: TestService;
let user: TestUser;
let transactions = 0;
/** The number of transactions after which the database fails; none if undefined. */
let failAfter: number | undefined;

function withFailure(client: DynamoDBDocumentClient): DynamoDBDocumentClient {
  return interceptCommands(client, (command, send) => {
    if (!(command instanceof TransactWriteCommand)) return send(command);
    if (failAfter !== undefined && transactions >= failAfter)
      return Promise.reject(new Error("the database has failed"));
    transactions += 1;
    return send(command);
  });
}

beforeAll(async () => {
  service = await startTestService({}, { wrapClient: withFailure });
});
beforeEach(async () => {
  user = await service.newUser();
});

const entries = (count: number) => Array.from({ length: count }, (_, i) => ({ url: `http://example.com/${i}` }));

/** Sends changes to a database that fails after some transactions; returns the status. */
async function sendWithFailure(changes: Record<string, unknown>, after: number): Promise<number> {
  transactions = 0;
  failAfter = after;
  try {
    return (await user.send(changes)).status;
  } finally {
    failAfter = undefined;
    transactions = 0;
  }
}

test("the retry of an interrupted send of 500 pages writes only the rest, in order", async () => {
  const changes = { new: entries(500), update_tags: entries(500).map((entry) => ({ ...entry, tags: "a" })) };
  expect(await sendWithFailure(changes, 3)).toBe(503);
  expect((await user.stats()).count_list).toBe(String(3 * 99));
  expect((await user.send(changes)).status).toBe(200);
  expect(transactions).toBe(3);
  expect((await user.items()).map(({ url }) => url)).toEqual(
    entries(500)
      .map(({ url }) => url)
      .reverse(),
  );
});

test("retries of a send of 500 pages succeed even if each of them is interrupted", async () => {
  const changes = { new: entries(500), delete: entries(500).filter((_, i) => i % 2) };
  for (let attempt = 0; attempt < 2; attempt++) expect(await sendWithFailure(changes, 1)).toBe(503);
  expect(await sendWithFailure(changes, 1)).toBe(200);
  expect((await user.stats()).count_list).toBe("250");
});

test("another send after an interrupted one is applied as a whole", async () => {
  expect(await sendWithFailure({ new: entries(300) }, 2)).toBe(503);
  expect((await user.send({ new: entries(299) })).status).toBe(200);
  expect((await user.stats()).count_list).toBe("299");
});
