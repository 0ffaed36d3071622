// SPDX-License-Identifier: MIT

import { UpdateTableCommand } from "@aws-sdk/client-dynamodb";
import { createDocumentClient } from "@reading-list/store-dynamodb/client.ts";
import { ensureTable } from "@reading-list/store-dynamodb/create-table.ts";
import { runCommand } from "@reading-list/testing/command-line.ts";
import { startDynamodb } from "@reading-list/testing/dynamodb.ts";
import { forward, operationOf, startProxy } from "@reading-list/testing/proxy.ts";
import { afterAll, beforeAll, expect, test, vi } from "vitest";

const tableName = "reading-list-production-ReadingListTable-abcdefgh";
const stops: (() => unknown)[] = [];
let protect: (isProtected: boolean) => Promise<unknown>;
/** The answer of the database to a query of point-in-time recovery. */
let recovery: "ENABLED" | "DISABLED" = "ENABLED";

beforeAll(async () => {
  const database = await startDynamodb();
  const client = createDocumentClient(database.endpoint);
  stops.push(database.stop, () => client.destroy());
  await ensureTable({ client, tableName });
  protect = (DeletionProtectionEnabled) =>
    client.send(new UpdateTableCommand({ TableName: tableName, DeletionProtectionEnabled }));
  const endpoint = await startBackedUpDatabase(database.endpoint);
  const account = { AWS_REGION: "eu-central-1", AWS_ACCESS_KEY_ID: "local", AWS_SECRET_ACCESS_KEY: "local" };
  const env = { AWS_ENDPOINT_URL_DYNAMODB: endpoint, AWS_EC2_METADATA_DISABLED: "true", HOME: "/nowhere", ...account };
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  for (const stop of stops.reverse()) await stop();
});

/** The embedded database with an answer to DescribeContinuousBackups, which it does not support. */
async function startBackedUpDatabase(endpoint: string): Promise<string> {
  const { url, stop } = await startProxy(async (request, body) => {
    if (operationOf(request) !== "DescribeContinuousBackups") return forward(endpoint, request, body);
    const PointInTimeRecoveryDescription = { PointInTimeRecoveryStatus: recovery };
    const ContinuousBackupsDescription = { ContinuousBackupsStatus: "ENABLED", PointInTimeRecoveryDescription };
    return { status: 200, body: JSON.stringify({ ContinuousBackupsDescription }) };
  });
  stops.push(stop);
  return url;
}

async function examine(stage: string) {
  const { code, json } = await runCommand(["doctor", "--stage", stage, "--table", tableName, "--json"], {});
  const { checks } = json() as unknown as { checks: { check: string; ok: boolean; finding: string }[] };
  const find = (name: string) => checks.find(({ check }) => check === name);
  return { code, backups: find("backups"), protection: find("deletion protection") };
}

test("a production table with point-in-time recovery and deletion protection has no fault", async () => {
  recovery = "ENABLED";
  await protect(true);
  const { code, backups, protection } = await examine("production");
  expect([code, backups?.finding, protection?.finding]).toEqual([0, "point-in-time recovery is on", "on"]);
});

test("a table without point-in-time recovery is a fault on every stage", async () => {
  recovery = "DISABLED";
  await protect(true);
  const { code, backups } = await examine("dev-ann");
  expect(code).toBe(1);
  expect(backups).toEqual({
    check: "backups",
    ok: false,
    finding: expect.stringMatching(/^point-in-time recovery is off; run aws dynamodb update-continuous-backups/),
  });
});

test("a table without deletion protection is a fault on shared stages only", async () => {
  recovery = "ENABLED";
  await protect(false);
  const production = await examine("production");
  expect(production.code).toBe(1);
  expect(production.protection).toMatchObject({
    ok: false,
    finding: expect.stringMatching(
      /^off; run aws dynamodb update-table --deletion-protection-enabled --table-name reading-list-/,
    ),
  });
  const staging = await examine("dev-ann");
  expect([staging.code, staging.protection?.finding]).toEqual([0, "off: this is a developer's stage"]);
});

test("doctor reports a table that is missing", async () => {
  const { code, out } = await runCommand(["doctor", "--stage", "production", "--table", "missing"], {});
  expect([code, out]).toEqual([
    1,
    expect.stringMatching(/FAULT +table +table missing of stage production does not exist/),
  ]);
});
