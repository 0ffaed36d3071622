// SPDX-License-Identifier: MIT

import { type DynamoDBDocumentClient, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { interceptCommands } from "@reading-list/testing/intercept-commands.ts";
import { startDynamodbService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, describe, expect, test } from "vitest";

let service: TestService;
/** The number of commands that succeed before one fails; none fails if undefined. */
let failAfter: number | undefined;
let failures = 0;
/** Whether the command that failed was the undo of a login attempt: its failure does not fail the call. */
let isUndo = false;

function withOneFailure(client: DynamoDBDocumentClient): DynamoDBDocumentClient {
  return interceptCommands(client, (command, send) => {
    if (failAfter !== undefined && failAfter-- === 0) {
      failures += 1;
      isUndo = command instanceof UpdateCommand && command.input.UpdateExpression === "DELETE attempts :id";
      return Promise.reject(new Error("the database has a problem"));
    }
    return send(command);
  });
}

beforeAll(async () => {
  service = await startDynamodbService({ USER_LIMIT: "1000" }, { wrapClient: withOneFailure });
});

describe("if any one command to the database fails", () => {
  test.each([
    ["auth", {}],
    ["stats", {}],
    ["get", {}],
    ["get", { count: 2 }],
    ["add", { url: "http://example.com/new" }],
    ["send", { new: '[{"url":"http://example.com/a"}]', read: '[{"url":"http://example.com/old"}]' }],
    ["api", {}],
    ["signup", { username: "some-body" }],
  ])("%s %o answers 200 or 503, with all headers, and the service keeps running", async (endpoint, parameters) => {
    for (const isWarm of [true, false]) {
      for (let command = 0; ; command++) {
        failAfter = undefined;
        const user = await service.newUser();
        await user.send({ new: [{ url: "http://example.com/old" }] });
        // A wrong password removes the address from the cache, so that the next password is verified.
        if (!isWarm) await user.call("auth", { password: "wrong" });
        failures = 0;
        isUndo = false;
        failAfter = command;
        const answer = await user.call(endpoint, parameters);
        failAfter = undefined;
        expect([200, 401, 503]).toContain(answer.status);
        if (failures > 0 && endpoint !== "signup") expect(answer.status).toBe(isUndo ? 200 : 503);
        expect(answer.headers.get("x-limit-key-limit")).toMatch(/^\d+$/);
        const items = await user.items();
        const { count_list, count_unread } = await user.stats();
        expect(count_list).toBe(String(items.length));
        expect(count_unread).toBe(String(items.filter((item) => item.state === "0").length));
        if (failures === 0) break;
      }
    }
  });
});

test("a refused call stays refused if the undo of its count fails", async () => {
  const user = await service.newUser();
  for (let call = 0; call < 10; call++) await user.call("auth", { password: "wrong" });
  for (let command = 0; command < 8; command++) {
    failAfter = command;
    expect([403, 503]).toContain((await user.call("auth")).status);
  }
  failAfter = undefined;
  expect((await user.call("auth")).status).toBe(403);
});
