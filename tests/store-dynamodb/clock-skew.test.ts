// SPDX-License-Identifier: MIT

import { GetCommand } from "@aws-sdk/lib-dynamodb";
import type { ServiceError } from "@reading-list/core/errors.ts";
import { maintenanceKey, userKey } from "@reading-list/store-dynamodb/keys.ts";
import type { TestUser } from "@reading-list/testing/client.ts";
import { startDynamodbService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";

let service: TestService;
let user: TestUser;
/** How far the database's clock is behind this machine's, in seconds. */
let skew = 0;
const errors: (ServiceError | undefined)[] = [];

beforeAll(async () => {
  service = await startDynamodbService(
    {},
    {
      report: ({ error }) => errors.push(error),
      wrapClient: (client) => {
        client.middlewareStack.add(
          (next) => async (args) => {
            const result = await next(args);
            const { headers } = result.response as { headers: Record<string, string> };
            headers.date = new Date(Date.now() - 1000 * skew).toUTCString();
            return result;
          },
          { step: "deserialize", priority: "low" },
        );
        return client;
      },
    },
  );
});

beforeEach(async () => {
  skew = 0;
  user = await service.newUser();
});

describe.each([
  ["ahead of", 61, "CLOCK_AHEAD"],
  ["behind", -62, "CLOCK_BEHIND"],
])("a service whose clock is more than a minute %s the database's", (_, seconds, code) => {
  test("is answered with 503, an X-Error and a log line with the reason", async () => {
    skew = seconds;
    for (const endpoint of ["auth", "get", "stats", "add", "send", "api", "signup"]) {
      const answer = await user.call(endpoint, { url: "http://example.com/" });
      expect(answer.status).toBe(503);
      expect(answer.headers.get("x-error")).toBe("the service's clock is wrong; try again in a few minutes");
      expect(answer.headers.get("retry-after")).toBe("60");
      expect(errors.at(-1)?.cause).toMatchObject({ name: "ClockSkewError", code });
    }
    skew = 0;
    expect((await user.call("auth")).status).toBe(200);
  });

  test("prevents changes, even if the clock was corrected after a call", async () => {
    await user.add("http://example.com/");
    const find = async () =>
      (
        await service.table.client.send(
          new GetCommand({ TableName: service.table.tableName, Key: userKey(user.credentials.username) }),
        )
      ).Item;
    const before = await find();
    service.clock.advance(seconds);
    skew = seconds;
    expect((await user.call("get")).status).toBe(503);
    expect((await user.call("add", { url: "http://example.com/2" })).status).toBe(503);
    service.clock.advance(-seconds);
    expect(await find()).toEqual(before);
  });
});

test("a difference of less than a minute is tolerated", async () => {
  for (const seconds of [-58, 58]) {
    skew = seconds;
    expect((await user.call("auth")).status).toBe(200);
  }
});

test("an operator's command does not depend on the clock", async () => {
  skew = 3600;
  const { client, tableName } = service.table;
  await client.send(new GetCommand({ TableName: tableName, Key: maintenanceKey }));
});
