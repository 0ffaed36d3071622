import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  type CancellationReason,
  TransactionCanceledException,
  TransactionConflictException,
} from "@aws-sdk/client-dynamodb";
import { DeleteCommand, type DynamoDBDocumentClient, PutCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { createLiveReport } from "@reading-list/functions/compose/live-report.ts";
import { metricNames } from "@reading-list/functions/watch/metric-names.ts";
import { type ApiKeyRecord, seedApiKey } from "@reading-list/store/api-keys.ts";
import { maintenanceKey } from "@reading-list/store/keys.ts";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { interceptCommands } from "../intercept-commands.ts";
import { articlePage } from "../reader/page-server.ts";
import { newName, startTestService, type TestService, type TestUser } from "../service.ts";
import { captureOutput, linesOf } from "./output.ts";

/** What every command to the database fails with. */
let failure: Error | undefined;
/** What the next transaction fails with. */
let conflict: Error | undefined;
function withObstacles(client: DynamoDBDocumentClient): DynamoDBDocumentClient {
  return interceptCommands(client, (command, send) => {
    if (failure) return Promise.reject(failure);
    if (!conflict || !(command instanceof TransactWriteCommand)) return send(command);
    const error = conflict;
    conflict = undefined;
    return Promise.reject(error);
  });
}

const namespace = "reading-list/test";
const written = captureOutput();
let service: TestService;
let user: TestUser;
let pages: string;

beforeAll(async () => {
  const server = createServer((request, response) =>
    response
      .writeHead(200, { "content-type": "text/html" })
      .end(request.url === "/empty" ? "<title>Nothing</title>" : articlePage),
  ).listen(0, "127.0.0.1");
  afterAll(() => {
    server.close();
  });
  await once(server, "listening");
  pages = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  vi.stubEnv("POWERTOOLS_METRICS_DISABLED", "false");
  vi.stubEnv("POWERTOOLS_METRICS_NAMESPACE", namespace);
  service = await startTestService(
    { TEXT_ALLOWED_ORIGINS: pages },
    { wrapClient: withObstacles, report: createLiveReport() },
  );
  user = await service.newUser();
  await user.call("auth");
});

interface Measurement {
  _aws: {
    CloudWatchMetrics: [{ Namespace: string; Dimensions: string[][]; Metrics: { Name: string; Unit: string }[] }];
  };
  service: string;
  endpoint: string;
  [metric: string]: unknown;
}

const measurements = () => linesOf(written()) as unknown as Measurement[];
const metricsOf = (each: Measurement) => each._aws.CloudWatchMetrics[0].Metrics.map(({ Name }) => Name);

/** What a call that ends with `status` is measured with in any case. */
const basic = (status: number) => [
  "Latency",
  "Calls",
  ...(status === 200 ? [] : [metricNames.errors[status as keyof typeof metricNames.errors]]),
];

/** An API key of its own. */
async function newApiKey(record: Partial<ApiKeyRecord>): Promise<string> {
  const apikey = newName();
  await seedApiKey(service.table, apikey, {
    applicationId: apikey,
    name: apikey,
    status: "enabled",
    created: 0,
    ...record,
  });
  return apikey;
}

const guessTooOften = async () => {
  const guessed = await service.newUser();
  for (let guess = 0; guess < 10; guess++) await guessed.call("auth", { password: "wrong" });
  return guessed.call("auth");
};

const textOf = (path: string) => service.call("text", { url: pages + path });
const { tally, refusals, failures } = metricNames;

/** Longer than a function remembers a setting. */
const settingSeconds = 6;

async function callInMaintenance(): Promise<void> {
  const { client, tableName: TableName } = service.table;
  await client.send(new PutCommand({ TableName, Item: { ...maintenanceKey, text: "back soon" } }));
  service.clock.advance(settingSeconds);
  await user.call("auth");
  await client.send(new DeleteCommand({ TableName, Key: maintenanceKey }));
  service.clock.advance(settingSeconds);
}

const cancelled = (...CancellationReasons: CancellationReason[]) =>
  new TransactionCanceledException({ message: "cancelled", $metadata: {}, CancellationReasons });
const clockMoved = () =>
  cancelled({
    Code: "ConditionalCheckFailed",
    Item: {
      username: { S: user.credentials.username },
      passwordHash: { S: "hash" },
      lastSince: { N: "0" },
      changedAt: { N: `${service.clock.seconds()}` },
    },
  });
const conflicts: [string, () => Error][] = [
  ["another transaction", () => new TransactionConflictException({ message: "conflict", $metadata: {} })],
  ["one that changed the same item", () => cancelled({ Code: "None" }, { Code: "ConditionalCheckFailed" })],
  ["one that moved the user's clock", clockMoved],
];

/** A thing that can happen in a call, ending with a call in which it does, and what is measured of that. */
type Happening = [what: string, happen: () => Promise<unknown>, status: number, metrics: string[]];
const happenings: Happening[] = [
  ["a call that goes right", () => user.call("auth"), 200, []],
  ["a wrong password", () => user.call("auth", { password: "wrong" }), 401, [tally.passwordsVerified]],
  ["a password that is not remembered", () => user.call("auth"), 200, [tally.passwordsVerified]],
  ["a malformed call", () => user.call("get", { count: "many" }), 400, []],
  [
    "a disabled key",
    async () => service.call("api", { apikey: await newApiKey({ status: "disabled" }) }),
    403,
    [refusals.disabled],
  ],
  [
    "a key without calls left",
    async () => service.call("text", { apikey: await newApiKey({ keyLimit: 0 }), url: pages }),
    403,
    [refusals.keyLimited],
  ],
  [
    "a user without calls left",
    async () => user.call("auth", { apikey: await newApiKey({ userLimit: 0 }) }),
    403,
    [refusals.userLimited],
  ],
  ["too many wrong passwords", guessTooOften, 403, [refusals.braked]],
  [
    "a database that fails",
    async () => {
      failure = new Error("the database has a problem");
      await user.call("auth");
      failure = undefined;
    },
    503,
    [failures],
  ],
  ...conflicts.map(([what, errorOf]): Happening => {
    const addInConflict = () => {
      conflict = errorOf();
      return user.add("http://example.com/");
    };
    return [`a write that meets ${what}`, addInConflict, 200, [tally.conflictsRetried]];
  }),
  ["a page that is read", () => textOf("/page"), 200, [tally.textMisses]],
  ["a page that was kept", () => textOf("/page"), 200, [tally.textHits]],
  ["a page without an article", () => textOf("/empty"), 200, [tally.textsEmpty]],
  ["maintenance, which is no failure of ours", callInMaintenance, 503, []],
  ["a page that cannot be fetched", () => service.call("text", { url: "http://127.0.0.1/" }), 400, [tally.textsFailed]],
];

describe("metrics", () => {
  const seen = new Set<string>();

  test.each(happenings)("tell of %s", async (_, happen, status, expected) => {
    await happen();
    const last = measurements().at(-1);
    if (!last) throw new Error("nothing was measured");
    const names = metricsOf(last);
    for (const name of names) seen.add(name);
    expect(names.filter((name) => name !== tally.databaseCalls).sort()).toEqual([...basic(status), ...expected].sort());
    for (const name of expected) expect(last[name]).toBe(1);
  });

  test("are those of the list that dashboard and alarms use, and no others", () => {
    const { errors, refusals, tally, ...single } = metricNames;
    const listed = [single, errors, refusals, tally].flatMap((names): string[] => Object.values(names));
    expect([...seen].sort()).toEqual(listed.sort());
  });

  test("are told over all endpoints and by endpoint, and by nothing else", async () => {
    await user.call("stats");
    const [stats] = measurements();
    expect(stats?._aws.CloudWatchMetrics).toEqual([
      {
        Namespace: namespace,
        Dimensions: [["service"], ["service", "endpoint"]],
        Metrics: expect.arrayContaining([{ Name: metricNames.latency, Unit: "Milliseconds" }]),
      },
    ]);
    expect(stats).toMatchObject({ service: "reading-list", endpoint: "stats" });
  });

  test("of calls that run at the same time do not mix", async () => {
    const users = await Promise.all([1, 2, 3, 4].map(() => service.newUser()));
    for (const each of users) await each.call("auth");
    const alone = async (call: () => Promise<unknown>) => {
      const before = measurements().length;
      await call();
      return measurements()
        .slice(before)
        .map((each) => [each.endpoint, each[tally.databaseCalls]]);
    };
    const one = users[0] as TestUser;
    const expected = [
      ...(await alone(() => one.call("stats"))),
      ...(await alone(() => one.add("http://example.com/once"))),
    ];
    const together = await alone(() =>
      Promise.all(users.slice(1).flatMap((each) => [each.call("stats"), each.add("http://example.com/once")])),
    );
    expect(together).toHaveLength(6);
    const callsOf = new Map(expected.map(([endpoint, calls]) => [endpoint, Number(calls)]));
    // One of those that find the key's lease used up asks for the next.
    for (const [endpoint, calls] of together) {
      expect(Math.abs(Number(calls) - Number(callsOf.get(endpoint)))).toBeLessThanOrEqual(1);
    }
  });
});
