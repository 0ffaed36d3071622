// SPDX-License-Identifier: MIT

import { createUserStore } from "@reading-list/store-dynamodb/user-store.ts";
import { startDynamodbService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, beforeEach, expect, test } from "vitest";

let service: TestService;
/** The fate of the answer to a command that was carried out: it arrives when this resolves, and is lost if it rejects. */
let deliver: (input: Record<string, unknown>) => Promise<void>;

beforeAll(async () => {
  service = await startDynamodbService({ USER_LIMIT: "5" });
  service.table.client.middlewareStack.add(
    (next) => async (args) => {
      const answer = await next(args);
      await deliver(args.input as Record<string, unknown>);
      return answer;
    },
    { step: "finalizeRequest", priority: "low" },
  );
});

beforeEach(() => {
  deliver = async () => {};
});

/** An error after which the client repeats a request. */
const noAnswer = () => Object.assign(new Error("no answer"), { name: "TimeoutError" });

test("a call is undone once if the answer to the undo is lost during another undo", async () => {
  const user = await service.newUser();
  const { username } = user.credentials;
  const users = createUserStore(service.table);
  for (let call = 0; call < 3; call++) await user.ok("auth");
  const windowStart = (await users.find(username))?.windowStart ?? 0;

  let undos = 0;
  let loseFirst = () => {};
  const first = new Promise<void>((_, reject) => {
    loseFirst = () => reject(noAnswer());
  });
  deliver = async ({ UpdateExpression: update }) => {
    if (String(update).startsWith("SET calls = calls + :calls") && ++undos === 1) await first;
  };
  const undo = users.addCalls(username, windowStart, { calls: -1, publicCalls: 0 }).catch(() => {});
  await expect.poll(() => undos).toBe(1);
  await users.addCalls(username, windowStart, { calls: -1, publicCalls: 0 });
  loseFirst();
  await undo;
  expect((await users.find(username))?.calls).toBe(1);
});
