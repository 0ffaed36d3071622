// SPDX-License-Identifier: MIT

import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { readRecord } from "@reading-list/store-dynamodb/client.ts";
import { checkDataVersion, dataVersion, writeDataVersion } from "@reading-list/store-dynamodb/data-version.ts";
import { dataVersionKey } from "@reading-list/store-dynamodb/keys.ts";
import { startDynamodbService, type TestService } from "@reading-list/testing/test-service.ts";
import { afterEach, beforeAll, expect, test } from "vitest";

let service: TestService;

beforeAll(async () => {
  service = await startDynamodbService({});
});

/** Records a data version, and waits until no process has an older one in memory. */
async function setVersion(version: number): Promise<void> {
  const { client, tableName } = service.table;
  await client.send(new PutCommand({ TableName: tableName, Item: { ...dataVersionKey, version } }));
  service.clock.advance(6);
}

afterEach(() => setVersion(dataVersion));

const statuses = async () => [
  (await service.call("api")).status,
  (await service.fetch(`${service.baseUrl}/health`)).status,
];

test.each([dataVersion, dataVersion - 1])(
  "data of version %d, the own or the previous one, is served",
  async (version) => {
    await setVersion(version);
    expect(await statuses()).toEqual([200, 200]);
    expect(await checkDataVersion(service.table, "the table")).toBe(true);
  },
);

test.each([dataVersion + 1, dataVersion - 2])(
  "data of version %d is refused, and nothing is written",
  async (version) => {
    const user = await service.newUser();
    await user.add("https://example.com/");
    await setVersion(version);
    const before = await service.records();
    expect(await statuses()).toEqual([503, 503]);
    for (const endpoint of ["add", "get", "auth"]) {
      expect((await user.call(endpoint, { url: "https://example.com/new" })).status).toBe(503);
    }
    expect(await service.records()).toEqual(before);
    await expect(checkDataVersion(service.table, "the table")).rejects.toThrow(
      `the table has data of version ${version}`,
    );
  },
);

test("the data version is raised and never lowered", async () => {
  await setVersion(dataVersion - 1);
  await writeDataVersion(service.table);
  expect(await readRecord(service.table, dataVersionKey)).toMatchObject({ version: dataVersion });
  await setVersion(dataVersion + 1);
  await expect(writeDataVersion(service.table)).rejects.toThrow();
  expect(await readRecord(service.table, dataVersionKey)).toMatchObject({ version: dataVersion + 1 });
});
