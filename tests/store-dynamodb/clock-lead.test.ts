// SPDX-License-Identifier: MIT

import { extendDeadline } from "@reading-list/core/call-scope.ts";
import { maxLeadSeconds } from "@reading-list/core/domain/user-clock.ts";
import { changeUser } from "@reading-list/store-dynamodb/users.ts";
import type { TestUser } from "@reading-list/testing/client.ts";
import { interceptCommands } from "@reading-list/testing/intercept-commands.ts";
import { startDynamodbService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, beforeEach, expect, test } from "vitest";

let service: TestService;
let user: TestUser;
/** The deadline of a call in ms; the service's own if undefined. */
let deadlineMs: number | undefined;

beforeAll(async () => {
  service = await startDynamodbService(
    {},
    {
      wrapClient: (client) =>
        interceptCommands(client, (command, send) => {
          if (deadlineMs !== undefined) extendDeadline(deadlineMs);
          return send(command);
        }),
    },
  );
});

beforeEach(async () => {
  user = await service.newUser();
});

/** Advances the user's logical clock, as pairs of get and add within one second do. */
const setLead = (seconds: number) =>
  changeUser(service.table, user.credentials.username, {
    UpdateExpression: "SET lastSince = :since",
    ExpressionAttributeValues: { ":since": service.clock.seconds() + seconds },
  });

test("pairs of get and add within one second advance `since` by a second each", async () => {
  for (let pair = 0; pair < 5; pair++) {
    await user.add(`http://example.com/${pair}`);
    await user.get();
  }
  expect(Number((await user.get()).since) - service.clock.seconds()).toBe(4);
});

test("a change waits if the list's clock has its maximum lead over the wall clock", async () => {
  await setLead(maxLeadSeconds);
  const startedAt = service.clock.seconds();
  let answered = 0;
  const add = user.add("http://example.com/").finally(() => {
    answered += 1;
  });
  const { since } = await user.get();
  expect(Number(since) - startedAt).toBe(maxLeadSeconds);
  for (let call = 0; call < 5; call++) await user.stats();
  expect(answered).toBe(0);
  service.clock.advance(1);
  await add;
  const [item] = await user.items();
  expect(Number(item?.time_updated) - startedAt).toBe(maxLeadSeconds + 1);
});

test("a change that cannot wait longer is 503 with Retry-After, and its retry succeeds", async () => {
  await setLead(maxLeadSeconds);
  deadlineMs = 3000;
  const refused = await user.call("add", { url: "http://example.com/" });
  deadlineMs = undefined;
  expect(refused.status).toBe(503);
  expect(refused.headers.get("x-error")).toContain("the clock of this list is ahead");
  expect(refused.headers.get("retry-after")).toBe("1");
  service.clock.advance(1);
  await user.add("http://example.com/");
});

test("a list whose clock was set by a wrong clock can still be changed", async () => {
  await setLead(12 * 3600);
  await user.add("http://example.com/");
  const { since, list } = await user.get();
  expect(Object.values(list)).toHaveLength(1);
  await user.add("http://example.com/2");
  expect(Object.values((await user.get({ since })).list)).toHaveLength(1);
});
