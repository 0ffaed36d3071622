// SPDX-License-Identifier: MIT

import { readFileSync } from "node:fs";
import { metricNames, serviceName } from "@reading-list/http/watch/metric-names.ts";
import { beforeAll, describe, expect, test } from "vitest";
import { type AlarmInputs, isBreachingAt, type MetricStat } from "./alarm-simulation.ts";
import { type Evaluation, evaluateStacks, resourcesOf } from "./evaluate.ts";
import {
  alarmsOf,
  callNames,
  compositesOf,
  everything,
  failingNames,
  functionNamesOf,
  shortName,
} from "./stage-alarms.ts";

let evaluation: Evaluation;

beforeAll(async () => {
  evaluation = await evaluateStacks("production", everything);
});

const all = (type: string) => resourcesOf(evaluation, type);
const alarms = () => alarmsOf(evaluation);
const composites = () => compositesOf(evaluation);
const nameOf = ({ name }: AlarmInputs) => shortName(name);
const functionNames = () => functionNamesOf(evaluation);
const schedules = ["keeping", "deletions", "indexes", "probe"];
const ownNamespace = "reading-list/production";
const tableName = () => String(all("dynamodb/table:Table")[0]?.inputs.name);

/** A metric in words, such as `Sum of 5xx of main`; fails if the stage has no such metric. */
function describeMetric({ namespace, metricName, dimensions, stat }: MetricStat): string {
  const series: Record<string, Record<string, string>> = {
    "AWS/ApiGateway": { "ApiId MainApiApi-id": " of main", "ApiId TextApiApi-id": " of text" },
    "AWS/Lambda": {
      "": "",
      ...Object.fromEntries(
        functionNames().map((name) => [`FunctionName reading-list-production-${name}`, ` of ${name}`]),
      ),
    },
    "AWS/DynamoDB": { [`TableName ${tableName()}`]: "" },
    [ownNamespace]: {
      [`service ${serviceName}`]: "",
      "": "",
      ...Object.fromEntries(
        [...failingNames, ...schedules].map((name) => [`endpoint ${name} service ${serviceName}`, ` of ${name}`]),
      ),
    },
  };
  const dimension = Object.entries(dimensions).sort().flat().join(" ");
  const where = series[namespace]?.[dimension];
  if (where === undefined) throw new Error(`no metric has ${namespace} ${metricName} ${dimension}`);
  return `${stat} of ${metricName}${where}`;
}

/** The alarms that ring if metrics have these values, or no data. */
const ringing = (values: Record<string, number>) =>
  alarms()
    .filter((alarm) => isBreachingAt(alarm, (metric) => values[describeMetric(metric)] ?? Number.NaN))
    .map(nameOf)
    .sort();

/** 10,000 calls of each host and 2,000 of each function in each period, and a good run of each schedule. */
const load = () => ({
  "Sum of Count of main": 10_000,
  "Sum of Count of text": 10_000,
  ...Object.fromEntries(functionNames().map((name) => [`Sum of Invocations of ${name}`, 2000])),
  ...runs(),
});

const runs = () => Object.fromEntries(schedules.map((name) => [`Sum of Runs of ${name}`, 1]));

/** Each alarm, the value of its metric at which it rings, and the minutes of its period and of all periods (docs/aws/alarms.md). */
const thresholds: [alarm: string, metric: string, ringsAt: number, period: number, minutes: number][] = [
  ["GatewayErrors", "Sum of 5xx of main", 100, 5, 15],
  ["GatewayErrors", "Sum of 5xx of text", 100, 5, 15],
  ["Refusals", "Sum of Errors400", 6000, 15, 15],
  ["Refusals", "Sum of Errors401", 6000, 15, 15],
  ["Refusals", "Sum of Errors403", 6000, 15, 15],
  ["MainApiLatency", "p90 of Latency of main", 2000, 5, 15],
  ["TextApiLatency", "p90 of Latency of text", 12_000, 5, 15],
  ["PagesWaiting", "Maximum of PagesWaiting of keeping", 10_000, 15, 15],
  ["OldestPage", "Maximum of OldestPage of keeping", 14_400, 15, 15],
  ["TooManyRequests", "Sum of TooManyRequests-main", 100, 5, 5],
  ["TooManyRequests", "Sum of TooManyRequests-text", 100, 5, 5],
  ["Throttles", "Sum of Throttles", 50, 5, 5],
  ["AccountConcurrency", "Maximum of ConcurrentExecutions", 800, 5, 5],
  ["TableReadThrottles", "Sum of ReadThrottleEvents", 10, 5, 5],
  ["TableWriteThrottles", "Sum of WriteThrottleEvents", 10, 5, 5],
  // 80 % of 2,000 and 4,000 a second.
  ["TableReadUnits", "Sum of ConsumedReadCapacityUnits", 480_000, 5, 5],
  ["TableWriteUnits", "Sum of ConsumedWriteCapacityUnits", 960_000, 5, 5],
];
describe("alarms", () => {
  test.each(thresholds)("%s rings if %s is %d, and not a tenth below", (name, metric, ringsAt, period, minutes) => {
    expect(ringing({ ...load(), [metric]: 0.9 * ringsAt })).toEqual([]);
    expect(ringing({ ...load(), [metric]: 1.0001 * ringsAt })).toEqual([name]);
    const alarm = alarms().find((each) => nameOf(each) === name);
    expect(alarm?.evaluationPeriods).toBe(minutes / period);
    expect(new Set(alarm?.metricQueries.flatMap((query) => query.metric?.period ?? []))).toEqual(
      new Set([60 * period]),
    );
  });

  test("of each function ring at 5 failures and 0.5 % of its calls, and at half of the calls of an hour", () => {
    for (const name of functionNames()) {
      const calls = `Sum of Invocations of ${name}`;
      const failures = failingNames.includes(name) ? [`Sum of Failures of ${name}`] : [];
      for (const failed of [...failures, `Sum of Errors of ${name}`]) {
        expect(ringing({ ...load(), [failed]: 9 })).toEqual([]);
        expect(ringing({ ...load(), [failed]: 10 })).toEqual([`Failures-${name}`]);
        expect(ringing({ ...load(), [calls]: 9, [failed]: 4 })).toEqual([]);
        expect(ringing({ ...load(), [calls]: 20, [failed]: 5 })).toEqual([`Failures-${name}`]);
        expect(ringing({ ...load(), [calls]: 2, [failed]: 1 })).toEqual([`HourlyFailures-${name}`]);
      }
      const periodsOf = (kind: string) => {
        const alarm = alarms().find((each) => nameOf(each) === `${kind}-${name}`);
        return alarm?.metricQueries.flatMap(({ metric }) => (metric ? [metric.period * alarm.evaluationPeriods] : []));
      };
      expect(new Set(periodsOf("Failures"))).toEqual(new Set([900]));
      expect(new Set(periodsOf("HourlyFailures"))).toEqual(new Set([3600]));
    }
  });

  test("ring if nine of ten passwords are wrong, and if four of five pages were not read or have no text", () => {
    const verified = (wrong: number) => ({ "Sum of PasswordsVerified": 1000, "Sum of PasswordsWrong": wrong });
    expect(ringing({ ...load(), ...verified(899) })).toEqual([]);
    expect(ringing({ ...load(), ...verified(900) })).toEqual(["WrongPasswords"]);
    const read = (good: number) => ({ "Sum of TextMisses": good, "Sum of TextsEmpty": 40, "Sum of TextsFailed": 40 });
    expect(ringing({ ...load(), ...read(21) })).toEqual([]);
    expect(ringing({ ...load(), ...read(20) })).toEqual(["Pages"]);
  });

  test("ring if no run of a schedule ended well", () => {
    const names = ["Keeping", "Deletions", "Indexes", "Probe"];
    for (const [index, schedule] of schedules.entries()) {
      const stopped = { ...load(), [`Sum of Runs of ${schedule}`]: Number.NaN };
      expect(ringing(stopped)).toEqual([names[index]]);
    }
    expect(ringing({})).toEqual(names.sort());
  });

  test("ring if 8 % of all calls are 401, and ten accounts could not sign in", () => {
    const failing = (accounts: number, refused: number) => ({
      ...load(),
      "Sum of SignInsFailing": accounts,
      "Sum of Errors401": refused,
    });
    expect(ringing(failing(10, 1599))).toEqual([]);
    expect(ringing(failing(9, 3000))).toEqual([]);
    expect(ringing(failing(10, 1600))).toEqual(["FailedSignIns"]);
  });

  test("are all in the tests above", () => {
    const ofFunctions = functionNames().flatMap((name) => [`Failures-${name}`, `HourlyFailures-${name}`]);
    const named = new Set([
      ...thresholds.map(([name]) => name),
      ...ofFunctions,
      "FailedSignIns",
      "WrongPasswords",
      "Pages",
      "Keeping",
      "Deletions",
      "Indexes",
      "Probe",
    ]);
    expect(named).toEqual(new Set(alarms().map(nameOf)));
  });

  test("do not start because of few calls, except the hourly ones, or because no call arrives", () => {
    const bad = (calls: number, failed: number) => ({
      ...runs(),
      "Sum of Count of main": calls,
      "Sum of Invocations of get": calls,
      "Sum of Errors403": 2 * calls,
      "Sum of Failures of get": failed,
      "p90 of Latency of main": 20_000,
    });
    expect(ringing(bad(0, 0))).toEqual([]);
    expect(ringing(bad(19, 4))).toEqual([]);
    expect(ringing(bad(20, 5))).toEqual(["Failures-get", "MainApiLatency", "Refusals"]);
    expect(ringing(bad(2, 1))).toEqual(["HourlyFailures-get"]);
  });

  test("notify the address when they start and when they end, and name their row in docs/aws/alarms.md", () => {
    const topic = "arn:aws:other:eu-west-1:123456789012:Alarms";
    const telling = [...all("cloudwatch/metricAlarm:MetricAlarm"), ...all("cloudwatch/compositeAlarm:CompositeAlarm")];
    for (const { inputs } of telling) {
      const name = shortName(String(inputs.name ?? inputs.alarmName));
      // Alarms of the functions notify once, through the composite alarm.
      const actions = name.includes("-") ? [] : [topic];
      expect(inputs, name).toMatchObject({ alarmActions: actions, okActions: actions });
      expect(inputs.alarmDescription).toContain(`docs/aws/alarms.md, ${name}`);
    }
    const subscriptions = all("sns/topicSubscription:TopicSubscription").map(({ inputs }) => inputs);
    expect(subscriptions).toEqual([{ topic, protocol: "email", endpoint: "ops@example.com" }]);
  });

  test("have at most the 10 metrics that CloudWatch allows", () => {
    for (const alarm of alarms()) {
      expect(alarm.metricQueries.filter(({ metric }) => metric).length, nameOf(alarm)).toBeLessThanOrEqual(10);
    }
  });

  test("count the calls of the access log of each host that API Gateway answered with 429", () => {
    const filters = all("cloudwatch/logMetricFilter:LogMetricFilter").map(({ inputs }) => inputs);
    expect(filters).toEqual(
      ["main", "text"].map((host) => ({
        logGroupName: `/aws/apigateway/reading-list-production-${host === "main" ? "Main" : "Text"}Api`,
        pattern: '{ $.status = "429" }',
        metricTransformation: { namespace: ownNamespace, name: `TooManyRequests-${host}`, value: "1" },
      })),
    );
    for (const { inputs } of all("apigatewayv2/stage:Stage")) {
      expect(JSON.parse((inputs.accessLogSettings as { format: string }).format).status).toBe("$context.status");
    }
  });

  test("each have a row in docs/aws/alarms.md", () => {
    const rows = [...readFileSync("docs/aws/alarms.md", "utf8").matchAll(/^\| (`[A-Z][^|]*) \|/gm)].map(
      ([, cell]) => cell,
    );
    const named = rows.flatMap((cell) => [...(cell ?? "").matchAll(/`(\w+)`/g)].map(([, name]) => name));
    // A row names the alarms of all functions without the function.
    const names = new Set(alarms().map((alarm) => nameOf(alarm).replace(/-.*/, "")));
    expect(named.sort()).toEqual([...names].sort());
  });
});

interface Widget {
  type: string;
  properties: { title: string; view: string; region: string; period: number; metrics: Series[] };
}
/** A metric of a chart: its namespace, its name, its dimensions, and its statistic. */
type Series = [namespace: string, name: string, ...rest: (string | { stat: string })[]];

const dashboard = () => all("cloudwatch/dashboard:Dashboard")[0]?.inputs;
const widgets = () => (JSON.parse(String(dashboard()?.dashboardBody)) as { widgets: Widget[] }).widgets;
const charted = () => widgets().flatMap(({ properties }) => properties.metrics);
const isOwn = ([from, name]: Series) => from === ownNamespace && !name.startsWith("TooManyRequests");

/** The metrics that the functions emit, with their dimensions. */
function emittedMetrics(): string[][] {
  const { byEndpoint, bySchedule, byKeeper, errors, refusals, tally, ...single } = metricNames;
  const overAll = [single, errors, refusals, tally].flatMap((names): string[] => Object.values(names));
  const series = (name: string, endpoint: string) => [name, "service", serviceName, "endpoint", endpoint];
  return [
    ...overAll.map((name) => [name, "service", serviceName]),
    ...Object.values(byEndpoint).flatMap((name) =>
      (name === byEndpoint.failures ? failingNames : callNames).map((endpoint) => series(name, endpoint)),
    ),
    ...schedules.map((name) => series(bySchedule.runs, name)),
    ...Object.values(byKeeper).map((name) => series(name, "keeping")),
  ];
}

test("the dashboard has exactly the metrics that the functions emit", () => {
  const own = charted().filter(isOwn);
  expect(new Set(own.map(([, ...series]) => series.slice(0, -1).join()))).toEqual(
    new Set(emittedMetrics().map((series) => series.join())),
  );
});

test("the dashboard has the metrics of AWS that docs/aws/alarms.md sends the operator to, drawn over time", () => {
  expect(dashboard()?.dashboardName).toBe("reading-list-production");
  const chartsOf = (from: string) =>
    widgets().flatMap(({ properties }) =>
      properties.metrics
        .filter(([namespace]) => namespace === from)
        .map(([, name, ...rest]) => [properties.title, name, (rest.at(-1) as { stat: string }).stat].join(": ")),
    );
  const both = (line: string) => [line, line];
  expect(chartsOf("AWS/ApiGateway")).toEqual([
    ...both("5xx of the hosts: 5xx: Sum"),
    ...both("Latency of the hosts, p99, ms: Latency: p99"),
  ]);
  expect(chartsOf("AWS/DynamoDB")).toEqual([
    "Table capacity units: ConsumedReadCapacityUnits: Sum",
    "Table capacity units: ConsumedWriteCapacityUnits: Sum",
    "Throttles: 429, table, functions: ReadThrottleEvents: Sum",
    "Throttles: 429, table, functions: WriteThrottleEvents: Sum",
  ]);
  const throttled = new Set(chartsOf("AWS/Lambda"));
  expect(throttled).toEqual(
    new Set([
      "Concurrent executions in the account: ConcurrentExecutions: Maximum",
      "Throttles: 429, table, functions: Throttles: Sum",
    ]),
  );
  for (const { type, properties } of widgets()) {
    expect({ type, ...properties }).toMatchObject({ type: "metric", view: "timeSeries", region: "eu-west-1" });
    expect(properties.period).toBe(300);
    const { title, metrics } = properties;
    const stat = /p\d+/.exec(title)?.[0] ?? (/^(Concurrent|Saving)/.test(title) ? "Maximum" : "Sum");
    for (const series of metrics) expect(series.at(-1), title).toEqual({ stat });
  }
});

test("docs/aws/alarms.md has the number of metrics and alarms that CloudWatch charges for, and their price", () => {
  // The alarms of the functions, and one of each host for its 429s.
  const metrics = emittedMetrics().length + all("cloudwatch/logMetricFilter:LogMetricFilter").length;
  const watched = alarms().flatMap(({ metricQueries }) => metricQueries.filter(({ metric }) => metric)).length;
  const text = readFileSync("docs/aws/alarms.md", "utf8");
  expect(text).toContain(`$${Math.round(0.3 * metrics)} for ${metrics} metrics`);
  expect(text).toContain(`$${(0.1 * watched).toFixed(2)} for the ${watched} metrics that the alarms watch`);
  expect(text).toContain(`$${(0.5 * composites().length).toFixed(2)} for the alarm that joins those of the functions`);
});

/** With all that an operator may add. */
const watched = { ...everything, MONTHLY_BUDGET: "100", XRAY: "on" };

test("a budget notifies the address at 80 % of the maximum cost of the stage, and when 100 % is forecast", async () => {
  const { resources } = await evaluateStacks("production", watched);
  const notice = {
    comparisonOperator: "GREATER_THAN",
    thresholdType: "PERCENTAGE",
    subscriberEmailAddresses: ["ops@example.com"],
  };
  expect(resources.filter(({ type }) => type.startsWith("aws:budgets/")).map(({ inputs }) => inputs)).toEqual([
    {
      name: "reading-list-production",
      budgetType: "COST",
      limitAmount: "100",
      limitUnit: "USD",
      timeUnit: "MONTHLY",
      costFilters: [{ name: "TagKeyValue", values: ["user:stage$production"] }],
      notifications: [
        { ...notice, threshold: 80, notificationType: "ACTUAL" },
        { ...notice, threshold: 100, notificationType: "FORECASTED" },
      ],
    },
  ]);
  expect(all("budgets/budget:Budget")).toEqual([]);
});

test("X-Ray traces every function with XRAY=on, and none without", async () => {
  const traced = await evaluateStacks("production", watched);
  for (const [{ resources }, mode] of [
    [traced, "Active"],
    [evaluation, "PassThrough"],
  ] as const) {
    for (const { type, name, inputs } of resources) {
      if (type === "aws:lambda/function:Function") expect(inputs.tracingConfig, name).toEqual({ mode });
    }
    const statement = {
      actions: ["xray:PutTraceSegments", "xray:PutTelemetryRecords"],
      effect: "Allow",
      resources: ["*"],
    };
    const roles = resources.filter(({ inputs }) =>
      JSON.stringify(inputs).includes(JSON.stringify(JSON.stringify(statement)).slice(1, -1)),
    );
    const functions = resources.filter(({ type }) => type === "aws:lambda/function:Function");
    expect(roles).toHaveLength(mode === "Active" ? functions.length : 0);
  }
});
