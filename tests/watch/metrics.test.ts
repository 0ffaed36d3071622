import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { TransactionConflictException } from "@aws-sdk/client-dynamodb";
import { type DynamoDBDocumentClient, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { createLiveReport } from "@reading-list/functions/compose/live-report.ts";
import { metricNames } from "@reading-list/functions/watch/metric-names.ts";
import { type ApiKeyRecord, seedApiKey } from "@reading-list/store/api-keys.ts";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { articlePage } from "../reader/page-server.ts";
import { newName, startTestService, type TestService, type TestUser } from "../service.ts";
import { captureOutput, linesOf } from "./output.ts";

/** What is in the way of the next commands to the database. */
let obstacle: "failure" | "conflict" | undefined;
function withObstacles(client: DynamoDBDocumentClient): DynamoDBDocumentClient {
  const send = client.send.bind(client) as (command: unknown) => Promise<unknown>;
  client.send = ((command: unknown) => {
    if (obstacle === "failure") return Promise.reject(new Error("the database has a problem"));
    if (obstacle === "conflict" && command instanceof TransactWriteCommand) {
      obstacle = undefined;
      return Promise.reject(new TransactionConflictException({ message: "conflict", $metadata: {} }));
    }
    return send(command);
  }) as typeof client.send;
  return client;
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

/** For each thing that can happen in a call: a last call in which it does, and what is measured of that. */
const happenings: [string, () => Promise<unknown>, number, string[]][] = [
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
      obstacle = "failure";
      await user.call("auth");
      obstacle = undefined;
    },
    503,
    [failures],
  ],
  [
    "a write that meets another one",
    () => {
      obstacle = "conflict";
      return user.add("http://example.com/");
    },
    200,
    [tally.conflictsRetried],
  ],
  ["a page that is read", () => textOf("/page"), 200, [tally.textMisses]],
  ["a page that was kept", () => textOf("/page"), 200, [tally.textHits]],
  ["a page without an article", () => textOf("/empty"), 200, [tally.textsEmpty]],
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
    for (const call of together) expect(expected).toContainEqual(call);
  });
});
