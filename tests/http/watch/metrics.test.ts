// SPDX-License-Identifier: MIT

import {
  type CancellationReason,
  GetItemCommand,
  TransactionCanceledException,
  TransactionConflictException,
} from "@aws-sdk/client-dynamodb";
import { type DynamoDBDocumentClient, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { emptyTally } from "@reading-list/core/call-scope.ts";
import { maxLeadSeconds } from "@reading-list/core/domain/user-clock.ts";
import { ServiceError } from "@reading-list/core/errors.ts";
import { createCallLog, logFailure } from "@reading-list/http/watch/call-log.ts";
import { metricNames } from "@reading-list/http/watch/metric-names.ts";
import { type CallRecord, watchCalls } from "@reading-list/http/watch/watch-calls.ts";
import { refuseDirectCall } from "@reading-list/lambda/edge.ts";
import { userKey } from "@reading-list/store-dynamodb/keys.ts";
import { changeUser } from "@reading-list/store-dynamodb/users.ts";
import { newName, type TestUser } from "@reading-list/testing/client.ts";
import { atEndOfFile } from "@reading-list/testing/end-of-file.ts";
import { FakeClock } from "@reading-list/testing/fake-clock.ts";
import { interceptCommands } from "@reading-list/testing/intercept-commands.ts";
import { articlePage, startPageServer } from "@reading-list/testing/page-server.ts";
import { requestOf } from "@reading-list/testing/request.ts";
import { startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { captureOutput, linesOf } from "./output.ts";

/** The error of every command to the database, if set. */
let failure: Error | undefined;
/** The error of the next transaction, if set. */
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
  const server = await startPageServer((request, response) =>
    response
      .writeHead(200, { "content-type": "text/html" })
      .end(request.url === "/empty" ? "<title>Nothing</title>" : articlePage),
  );
  atEndOfFile(server.stop);
  pages = server.origin;
  service = await startTestService(
    { TEXT_ALLOWED_ORIGINS: pages, PUBLIC_KEY_ADDRESS_LIMIT: "0" },
    { wrapClient: withObstacles, report: createCallLog({ namespace, callsPerOwnLine: 1 }) },
  );
  user = await service.newUser();
  await user.call("auth");
});

interface Measurement {
  _aws: {
    Timestamp: number;
    CloudWatchMetrics: { Namespace: string; Dimensions: string[][]; Metrics: { Name: string; Unit: string }[] }[];
  };
  service: string;
  endpoint: string;
  [metric: string]: unknown;
}

const measurements = () => linesOf(written()) as unknown as Measurement[];
const metricsOf = (each: Measurement) =>
  each._aws.CloudWatchMetrics.flatMap(({ Metrics }) => Metrics.map(({ Name }) => Name));

/** The metrics of any call with this status. */
const basic = (status: number) => [
  "Latency",
  "Calls",
  ...(status === 200 ? [] : [metricNames.errors[status as keyof typeof metricNames.errors]]),
];

const failTooOften = async () => {
  const guessed = await service.newUser();
  for (let guess = 0; guess < 10; guess++) await guessed.call("auth", { password: "wrong" });
  return guessed.call("auth");
};

const signUpWhereClosed = async () => {
  const closed = await startTestService(
    { SIGNUP: "closed" },
    { report: createCallLog({ namespace, callsPerOwnLine: 1 }) },
  );
  await closed.call("signup", { username: newName(), password: "secret" });
};

const textOf = (path: string) => service.call("text", { url: pages + path });
const { tally, refusals, busy, byEndpoint } = metricNames;

async function signUpInFullQueue(): Promise<void> {
  const full = () => Promise.reject(new ServiceError("busy", "too many sign-ins at once; try again"));
  const crowded = await startTestService(
    {},
    { passwords: { hash: full, verify: full }, report: createCallLog({ namespace, callsPerOwnLine: 1 }) },
  );
  await crowded.call("signup", { username: newName(), password: "secret" });
}

/** A call to the address of API Gateway of a stage that is behind CloudFront. */
function callBesideEdge(): Promise<unknown> {
  const limits = { defaultLimits: { user: 320, key: 10_000 }, addressLimit: 2000, windowSeconds: 3600 };
  const report = createCallLog({ namespace, callsPerOwnLine: 1 });
  return watchCalls({ name: "get" }, { clock: Date, ...limits }, refuseDirectCall, report)(requestOf({}));
}

/** Longer than a function caches a setting. */
const settingSeconds = 6;

async function callInMaintenance(): Promise<void> {
  await service.operator.beginMaintenance({ text: "back soon" });
  service.clock.advance(settingSeconds);
  await user.call("auth");
  await service.operator.endMaintenance();
  service.clock.advance(settingSeconds);
}

const cancelled = (...CancellationReasons: CancellationReason[]) =>
  new TransactionCanceledException({ message: "cancelled", $metadata: {}, CancellationReasons });
/** Another process has written the record: the condition fails, and the error contains the record. */
const clockMoved = async () => {
  const { client, tableName } = service.table;
  const { pk, sk } = userKey(user.credentials.username);
  const { Item } = await client.send(
    new GetItemCommand({ TableName: tableName, Key: { pk: { S: pk }, sk: { S: sk } }, ConsistentRead: true }),
  );
  return cancelled({ Code: "ConditionalCheckFailed", ...(Item && { Item }) });
};
/** A record that counts one item too many, as after a torn restore. */
const conflicts: [string, () => Error | Promise<Error>][] = [
  ["another transaction", () => new TransactionConflictException({ message: "conflict", $metadata: {} })],
  ["one that changed the same item", () => cancelled({ Code: "None" }, { Code: "ConditionalCheckFailed" })],
  ["one that moved the user's clock", clockMoved],
];

/** Adds a page to a list whose clock has its maximum lead, and advances the wall clock while the write waits. */
async function addAheadOfTheClock(): Promise<void> {
  const waiting = await service.newUser();
  await waiting.call("auth");
  await changeUser(service.table, waiting.credentials.username, {
    UpdateExpression: "SET lastSince = :since",
    ExpressionAttributeValues: { ":since": service.clock.seconds() + maxLeadSeconds },
  });
  const add = waiting.add("http://example.com/");
  for (let call = 0; call < 5; call++) await waiting.stats();
  service.clock.advance(1);
  await add;
}

/** Events, each a function that ends with the call in which it happens, and the expected metrics. */
type Happening = [what: string, happen: () => Promise<unknown>, status: number, metrics: string[]];
const happenings: Happening[] = [
  ["a successful call", () => user.call("auth"), 200, []],
  [
    "a wrong password",
    () => user.call("auth", { password: "wrong" }),
    401,
    [tally.passwordsVerified, tally.passwordsWrong, tally.signInsFailing],
  ],
  ["a first login", async () => (await service.newUser()).call("auth"), 200, [tally.passwordsVerified]],
  [
    "a path that an API of another service does not have",
    () => service.fetch(`${service.baseUrl}/readeck/nothing`),
    404,
    [],
  ],
  ["a malformed call", () => user.call("get", { count: "many" }), 400, []],
  [
    "a disabled key",
    async () => service.call("api", { apikey: await service.newApiKey({ status: "disabled" }) }),
    403,
    [refusals.disabled],
  ],
  [
    "a key without calls left",
    async () => service.call("text", { apikey: await service.newApiKey({ keyLimit: 0 }), url: pages }),
    403,
    [refusals.keyLimited],
  ],
  [
    "an address without calls of a public key left",
    async () => service.call("text", { apikey: await service.newApiKey({ isPublic: true }), url: pages }),
    403,
    [refusals.addressLimited],
  ],
  [
    "a user without calls left",
    async () => user.call("auth", { apikey: await service.newApiKey({ userLimit: 0 }) }),
    403,
    [tally.passwordsVerified, refusals.userLimited],
  ],
  ["too many wrong passwords", failTooOften, 403, [refusals.lockedOut]],
  [
    "a password from a page of another site",
    async () => {
      const apikey = await service.newApiKey({ isPublic: true });
      const headers = { origin: "https://evil.example", "content-type": "application/x-www-form-urlencoded" };
      const body = service.formOf({ apikey, ...user.credentials });
      return service.fetch(service.urlOf("auth"), { method: "POST", headers, body });
    },
    403,
    [refusals.otherSite],
  ],
  ["a call that did not come through CloudFront", callBesideEdge, 403, [refusals.bypassesEdge]],
  [
    "a picture whose address is not signed",
    () => service.fetch(`${service.textUrl}/v2/picture`),
    403,
    [refusals.expired],
  ],
  ["a full queue, which is not a failure", signUpInFullQueue, 503, [busy]],
  ["a closed signup", signUpWhereClosed, 403, [refusals.signupClosed]],
  [
    "a failing database",
    async () => {
      failure = new Error("the database has a problem");
      await user.call("auth");
      failure = undefined;
    },
    503,
    [byEndpoint.failures],
  ],
  ...conflicts.map(([what, errorOf]): Happening => {
    const addInConflict = async () => {
      conflict = await errorOf();
      return user.add("http://example.com/");
    };
    return [`a write that meets ${what}`, addInConflict, 200, [tally.conflictsRetried]];
  }),
  ["a write that waits for the wall clock, which is no conflict", addAheadOfTheClock, 200, []],
  ["a page that is read", () => textOf("/page"), 200, [tally.textMisses]],
  ["a cached page", () => textOf("/page"), 200, [tally.textHits]],
  ["a page without an article", () => textOf("/empty"), 200, [tally.textsEmpty]],
  ["maintenance, which is not a failure", callInMaintenance, 503, []],
  ["a page that cannot be fetched", () => service.call("text", { url: "http://127.0.0.1/" }), 400, [tally.textsFailed]],
];

describe("the log of a deployed process", () => {
  const call: CallRecord = {
    requestId: "r",
    awsRequestId: "a",
    source: "192.0.2.1",
    endpoint: "get",
    route: undefined,
    applicationId: "app",
    status: 200,
    milliseconds: 5,
    tally: { ...emptyTally(), databaseCalls: 2 },
    notice: undefined,
    error: undefined,
    failure: undefined,
  };
  const error = new ServiceError("invalid", "count is not a number");

  test("has a line for every failed call and one successful call in 100, and shared lines with the metrics of the others", () => {
    const clock = new FakeClock();
    const lines: string[] = [];
    const report = createCallLog({ namespace, clock, output: { write: (line: string) => lines.push(line) > 0 } });
    for (let n = 1; n <= 1000; n++) {
      clock.advance(0.01);
      report(n % 50 === 0 ? { ...call, status: 400, error } : { ...call, endpoint: n % 2 ? "get" : "stats" });
    }
    clock.advance(1);
    report(call);
    const written = linesOf(lines.join("")) as unknown as Measurement[];
    const sumOf = (name: string, from = written) => from.reduce((sum, line) => sum + Number(line[name] ?? 0), 0);
    const own = written.filter((line) => line.source === call.source);
    expect(own.filter((line) => line.status === 400)).toHaveLength(20);
    expect(own.filter((line) => line.status === 200)).toHaveLength(10);
    expect(written.length).toBeLessThan(60);
    expect(sumOf("Calls")).toBe(1001);
    expect(sumOf("DatabaseCalls")).toBe(2002);
    expect(written.flatMap((line) => line.Latency)).toEqual(Array(1001).fill(5));
    for (const line of written) expect([line.Latency].flat().length).toBeLessThanOrEqual(100);
  });

  test("has a line for each call whose answer has a notice, which the line names", () => {
    const lines: string[] = [];
    const report = createCallLog({ namespace, output: { write: (line: string) => lines.push(line) > 0 } });
    for (let n = 0; n < 10; n++) report({ ...call, ...(n % 5 === 4 && { notice: "description is not stored" }) });
    expect(linesOf(lines.join("")).filter(({ notice }) => notice === "description is not stored")).toHaveLength(2);
  });

  test("names a failure that the answer hides, by its code and where it was thrown", () => {
    const lines: string[] = [];
    const failure = Object.assign(new Error("secret"), { code: "IMAGING_RUNTIME_IMPORTMODULEERROR" });
    const notice = "Some pictures could not be saved.";
    createCallLog({ namespace, output: { write: (line: string) => lines.push(line) > 0 } })({
      ...call,
      notice,
      failure,
    });
    const hidden = {
      reason: "Error",
      code: failure.code,
      places: expect.arrayContaining([expect.stringMatching("at ")]),
    };
    expect(linesOf(lines.join(""))).toEqual([expect.objectContaining({ status: 200, notice, hidden })]);
    expect(lines.join("")).not.toContain("secret");
  });

  test("has failures by function and version, too, for the canary, of calls and of extractions", () => {
    vi.stubEnv("AWS_LAMBDA_FUNCTION_NAME", "reading-list-production-get").stubEnv("AWS_LAMBDA_FUNCTION_VERSION", "8");
    const lines: string[] = [];
    const output = { write: (line: string) => lines.push(line) > 0 };
    const unavailable = new ServiceError("unavailable", "the service failed");
    createCallLog({ namespace, output })({ ...call, status: 503, error: unavailable });
    logFailure("extraction", unavailable, namespace, { output });
    createCallLog({ namespace, output })({ ...call, status: 400, error });
    vi.unstubAllEnvs();
    const written = linesOf(lines.join("")) as unknown as Measurement[];
    const byVersion = {
      Namespace: namespace,
      Dimensions: [["service", "function", "version"]],
      Metrics: [{ Name: metricNames.byEndpoint.failures, Unit: "Count" }],
    };
    for (const line of written.slice(0, 2)) {
      expect(line).toMatchObject({ service: "reading-list", function: "reading-list-production-get", version: "8" });
      expect([line.Failures, line._aws.CloudWatchMetrics.at(-1)]).toEqual([1, byVersion]);
    }
    expect(JSON.stringify(written[2])).not.toContain("version");
  });

  test("has the metrics of a call at once if the process has less than a call a second", () => {
    const clock = new FakeClock();
    const lines: string[] = [];
    const report = createCallLog({ namespace, clock, output: { write: (line: string) => lines.push(line) > 0 } });
    for (let n = 1; n <= 10; n++) {
      clock.advance(1);
      report(call);
      expect(lines).toHaveLength(n);
    }
  });
});

describe("metrics", () => {
  const seen = new Set<string>();

  test.each(happenings)("count %s", async (_, happen, status, expected) => {
    await happen();
    const last = measurements().at(-1);
    if (!last) throw new Error("nothing was measured");
    // Failures are measured by version, too.
    const names = [...new Set(metricsOf(last))];
    for (const name of names) seen.add(name);
    expect(names.filter((name) => name !== tally.databaseCalls).sort()).toEqual([...basic(status), ...expected].sort());
    for (const name of expected) expect(last[name]).toBe(1);
  });

  test("are exactly those of the list that dashboard and alarms use", () => {
    // Schedules have a test of their own.
    const { byEndpoint, bySchedule: _, byKeeper: __, errors, refusals, tally, ...single } = metricNames;
    const listed = [single, byEndpoint, errors, refusals, tally].flatMap((names): string[] => Object.values(names));
    expect([...seen].sort()).toEqual(listed.sort());
  });

  // Each value of a dimension is one more metric to pay for.
  test("are counted by endpoint if they are calls, latency or failures, and over all endpoints if not", async () => {
    await user.call("stats", { password: "wrong" });
    const [stats] = measurements();
    expect(stats?._aws.Timestamp).toBeGreaterThan(Date.now() - 60_000);
    expect(stats?._aws.CloudWatchMetrics).toEqual([
      {
        Namespace: namespace,
        Dimensions: [["service", "endpoint"]],
        Metrics: [
          { Name: metricNames.byEndpoint.calls, Unit: "Count" },
          { Name: metricNames.byEndpoint.latency, Unit: "Milliseconds" },
        ],
      },
      {
        Namespace: namespace,
        Dimensions: [["service"]],
        Metrics: expect.arrayContaining([{ Name: metricNames.errors[401], Unit: "Count" }]),
      },
    ]);
    expect(stats).toMatchObject({ service: "reading-list", endpoint: "stats", Calls: 1, Errors401: 1 });
    failure = new Error("the database has a problem");
    await user.call("stats");
    failure = undefined;
    const [byEndpoint, overAll] = measurements().at(-1)?._aws.CloudWatchMetrics ?? [];
    const ofFailures = { Name: metricNames.byEndpoint.failures, Unit: "Count" };
    expect(byEndpoint?.Metrics).toContainEqual(ofFailures);
    expect(overAll?.Metrics).not.toContainEqual(ofFailures);
  });

  test("contain no empty list, which CloudWatch refuses", async () => {
    await service.call("api", {});
    await service.call("api", {});
    const lists = measurements().flatMap(({ _aws }) => _aws.CloudWatchMetrics.map(({ Metrics }) => Metrics.length));
    expect(lists).not.toContain(0);
    expect(lists).toContain(2);
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
    // One of the calls writes the key's count.
    for (const [endpoint, calls] of together) {
      expect(Math.abs(Number(calls) - Number(callsOf.get(endpoint)))).toBeLessThanOrEqual(1);
    }
  });
});
