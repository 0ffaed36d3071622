// SPDX-License-Identifier: MIT

import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { interceptCommands } from "@reading-list/testing/intercept-commands.ts";
import { startDynamodbService, type TestService } from "@reading-list/testing/test-service.ts";
import { afterEach, beforeAll, expect, test } from "vitest";

let service: TestService;
let isReadable = true;

beforeAll(async () => {
  service = await startDynamodbService(
    {},
    {
      wrapClient: (client) =>
        interceptCommands(client, (command, send) => {
          const isOfOperator = command instanceof GetCommand && /^(KEY#|SETTING$)/.test(String(command.input.Key?.pk));
          return isOfOperator && !isReadable ? Promise.reject(new Error("throttled")) : send(command);
        }),
    },
  );
});

afterEach(async () => {
  isReadable = true;
  await service.operator.endMaintenance();
  service.clock.advance(120);
});

const answer = async () => {
  const { status, headers } = await service.call("api");
  return [status, headers.get("x-error")];
};

test("keys and settings are served for a minute if they cannot be read, and then calls are 503", async () => {
  expect((await answer())[0]).toBe(200);
  isReadable = false;
  for (let seconds = 6; seconds <= 60; seconds += 6) {
    service.clock.advance(6);
    expect((await answer())[0]).toBe(200);
  }
  service.clock.advance(6);
  expect((await answer())[0]).toBe(503);
  isReadable = true;
  expect((await answer())[0]).toBe(200);
});

test("maintenance stays on if its setting cannot be read, and a change takes effect with the next read", async () => {
  await service.operator.beginMaintenance({ text: "Back at noon.", since: 0 });
  expect(await answer()).toEqual([503, "Back at noon."]);
  isReadable = false;
  service.clock.advance(50);
  expect(await answer()).toEqual([503, "Back at noon."]);
  isReadable = true;
  await service.operator.endMaintenance();
  service.clock.advance(6);
  expect((await answer())[0]).toBe(200);
});

test("a key that was never read is 503 meanwhile, not unknown", async () => {
  const apikey = await service.newApiKey();
  expect((await answer())[0]).toBe(200);
  isReadable = false;
  expect((await service.call("api", { apikey })).status).toBe(503);
});
