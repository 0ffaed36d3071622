// SPDX-License-Identifier: MIT

import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { interceptCommands } from "@reading-list/testing/intercept-commands.ts";
import { startDynamodbService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, beforeEach, expect, test } from "vitest";

let service: TestService;
let reads = 0;

beforeAll(async () => {
  service = await startDynamodbService(
    {},
    {
      wrapClient: (client) =>
        interceptCommands(client, (command, send) => {
          if (command instanceof GetCommand && String(command.input.Key?.pk).startsWith("KEY#")) reads += 1;
          return send(command);
        }),
    },
  );
});

beforeEach(() => {
  service.clock.advance(10);
  reads = 0;
});

const statusOf = async (apikey: string) => (await service.call("api", { apikey })).status;

test("an unknown API key is looked up once in 5 seconds", async () => {
  for (let call = 0; call < 5; call++) expect(await statusOf("unknown")).toBe(401);
  expect(reads).toBe(1);
  service.clock.advance(6);
  expect(await statusOf("unknown")).toBe(401);
  expect(reads).toBe(2);
});

test("an API key that is created after it was refused becomes known within 5 seconds", async () => {
  expect(await statusOf("too-early")).toBe(401);
  await service.newApiKey({}, "too-early");
  service.clock.advance(6);
  expect(await statusOf("too-early")).toBe(200);
});

test("many unknown API keys do not push a known one out of the memory", async () => {
  expect(await statusOf(service.apiKey)).toBe(200);
  reads = 0;
  for (let start = 0; start < 1200; start += 100) {
    await Promise.all(Array.from({ length: 100 }, (_, i) => statusOf(`unknown ${start + i}`)));
  }
  expect(reads).toBe(1200);
  expect(await statusOf(service.apiKey)).toBe(200);
  expect(reads).toBe(1200);
  // The memory of unknown keys is bounded: it has lost the first ones.
  expect(await statusOf("unknown 0")).toBe(401);
  expect(reads).toBe(1201);
});
