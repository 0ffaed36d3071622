import { readFileSync } from "node:fs";
import { apis } from "@reading-list/core/contract/apis.ts";
import { endpoints } from "@reading-list/core/contract/endpoints.ts";
import { metricNames, serviceName } from "@reading-list/functions/watch/metric-names.ts";
import { beforeAll, describe, expect, test } from "vitest";
import { type Evaluation, evaluateStacks, resourcesOf } from "./evaluate.ts";

let evaluation: Evaluation;

beforeAll(async () => {
  // Other units to read than to write, so that no alarm has the threshold of the other.
  evaluation = await evaluateStacks("production", { ALARM_EMAIL: "ops@example.com", TABLE_READ_UNITS: "2000" });
});

const all = (type: string) => resourcesOf(evaluation, type);

interface Metric {
  namespace: string;
  metricName: string;
  dimensions: Record<string, string>;
  stat: string;
  period: number;
}

interface AlarmInputs {
  name: string;
  threshold: number;
  evaluationPeriods: number;
  metricQueries: { id: string; expression?: string; returnData: boolean; metric?: Metric }[];
}

const alarms = () => all("cloudwatch/metricAlarm:MetricAlarm").map(({ inputs }) => inputs as unknown as AlarmInputs);
const nameOf = ({ name }: AlarmInputs) => name.replace("reading-list-production-", "");
const ownNamespace = "reading-list/production";
const tableName = () => String(all("dynamodb/table:Table")[0]?.inputs.name);

/** A metric in words, such as `Sum of 5xx of main`; fails if the stage has no such metric. */
function describeMetric({ namespace, metricName, dimensions, stat }: Metric): string {
  const series: Record<string, Record<string, string>> = {
    "AWS/ApiGateway": { "ApiId MainApiApi-id": " of main", "ApiId TextApiApi-id": " of text" },
    "AWS/Lambda": {
      "": "",
      "FunctionName reading-list-production-deletions": " of deletions",
    },
    "AWS/DynamoDB": { [`TableName ${tableName()}`]: "" },
    [ownNamespace]: { [`service ${serviceName}`]: "", "": "" },
  };
  const dimension = Object.entries(dimensions).flat().join(" ");
  const where = series[namespace]?.[dimension];
  if (where === undefined) throw new Error(`no metric has ${namespace} ${metricName} ${dimension}`);
  return `${stat} of ${metricName}${where}`;
}

/** The value of an alarm's metric math if metrics have these values, or 0. */
function valueAt({ metricQueries }: AlarmInputs, values: Record<string, number>): number {
  const metrics = metricQueries.flatMap(({ id, metric }) =>
    metric ? [[id, values[describeMetric(metric)] ?? 0] as const] : [],
  );
  const results = metricQueries.filter(({ returnData }) => returnData);
  expect(results).toHaveLength(1);
  const functions = {
    IF: (condition: boolean, yes: number, no: number) => (condition ? yes : no),
    FILL: (value: unknown, missing: number) => (missing === 0 ? value : Number.NaN),
  };
  const names = { ...Object.fromEntries(metrics), ...functions };
  const expression = results[0]?.expression ?? results[0]?.id;
  return new Function(...Object.keys(names), `return ${expression}`)(...Object.values(names));
}

const ringing = (values: Record<string, number>) =>
  alarms()
    .filter((alarm) => valueAt(alarm, values) >= alarm.threshold)
    .map(nameOf)
    .sort();

/** 10,000 calls of each host in five minutes. */
const load = { "Sum of Count of main": 10_000, "Sum of Count of text": 10_000 };

/** Each alarm, and the value of its metric at which it rings (docs/alarms.md). */
const thresholds: [alarm: string, metric: string, ringsAt: number, minutes: number][] = [
  ["Failures", "Sum of Failures", 400, 5],
  ["Refusals", "Sum of Errors403", 4000, 5],
  ["MainApiErrors", "Sum of 5xx of main", 200, 5],
  ["TextApiErrors", "Sum of 5xx of text", 200, 5],
  ["MainApiLatency", "p90 of Latency of main", 2000, 15],
  ["TextApiLatency", "p90 of Latency of text", 12_000, 15],
  ["TooManyRequests", "Sum of TooManyRequests-main", 100, 5],
  ["TooManyRequests", "Sum of TooManyRequests-text", 100, 5],
  ["Throttles", "Sum of Throttles", 50, 5],
  ["Deletions", "Sum of Errors of deletions", 1, 15],
  ["AccountConcurrency", "Maximum of ConcurrentExecutions", 800, 5],
  ["TableReadThrottles", "Sum of ReadThrottleEvents", 10, 5],
  ["TableWriteThrottles", "Sum of WriteThrottleEvents", 10, 5],
  // 80 % of 2,000 and 4,000 a second.
  ["TableReadUnits", "Sum of ConsumedReadCapacityUnits", 480_000, 5],
  ["TableWriteUnits", "Sum of ConsumedWriteCapacityUnits", 960_000, 5],
];

describe("alarms", () => {
  test.each(thresholds)("%s rings if %s is %d, and not a tenth below", (name, metric, ringsAt, minutes) => {
    expect(ringing({ ...load, [metric]: 0.9 * ringsAt })).toEqual([]);
    expect(ringing({ ...load, [metric]: 1.0001 * ringsAt })).toEqual([name]);
    const alarm = alarms().find((each) => nameOf(each) === name);
    expect(alarm?.evaluationPeriods).toBe(minutes / 5);
    expect(new Set(alarm?.metricQueries.flatMap((query) => query.metric?.period ?? []))).toEqual(new Set([300]));
  });

  test("are all in the table above", () => {
    expect(new Set(thresholds.map(([name]) => name))).toEqual(new Set(alarms().map(nameOf)));
  });

  test("do not ring because of fewer than 20 calls, or because there is none", () => {
    const bad = (calls: number) => ({
      "Sum of Count of main": calls,
      "Sum of Count of text": calls,
      "Sum of Failures": 2 * calls,
      "Sum of Errors403": 2 * calls,
      "Sum of 5xx of main": calls,
      "Sum of 5xx of text": calls,
      "p90 of Latency of main": 20_000,
      "p90 of Latency of text": 20_000,
    });
    expect(ringing(bad(9))).toEqual([]);
    expect(ringing(bad(20))).toEqual(
      ["Failures", "Refusals", "MainApiErrors", "TextApiErrors", "MainApiLatency", "TextApiLatency"].sort(),
    );
    for (const { inputs } of all("cloudwatch/metricAlarm:MetricAlarm")) {
      expect(inputs).toMatchObject({
        comparisonOperator: "GreaterThanOrEqualToThreshold",
        treatMissingData: "notBreaching",
      });
    }
  });

  test("tell the address when they start and when they end, and name their row in docs/alarms.md", () => {
    const topic = "arn:aws:other:eu-west-1:123456789012:Alarms";
    for (const { inputs } of all("cloudwatch/metricAlarm:MetricAlarm")) {
      expect(inputs).toMatchObject({ alarmActions: [topic], okActions: [topic] });
      expect(inputs.alarmDescription).toContain(`docs/alarms.md, ${nameOf(inputs as unknown as AlarmInputs)}`);
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

  test("each have a row in docs/alarms.md", () => {
    const rows = [...readFileSync("docs/alarms.md", "utf8").matchAll(/^\| (`[A-Z][^|]*) \|/gm)].map(([, cell]) => cell);
    const named = rows.flatMap((cell) => [...(cell ?? "").matchAll(/`(\w+)`/g)].map(([, name]) => name));
    expect(named.sort()).toEqual(alarms().map(nameOf).sort());
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
  const { byEndpoint, errors, refusals, tally, ...single } = metricNames;
  const overAll = [single, errors, refusals, tally].flatMap((names): string[] => Object.values(names));
  return [
    ...overAll.map((name) => [name, "service", serviceName]),
    ...Object.values(byEndpoint).flatMap((name) =>
      [...endpoints, ...apis].map((endpoint) => [name, "service", serviceName, "endpoint", endpoint.name]),
    ),
  ];
}

test("the dashboard has exactly the metrics that the functions emit", () => {
  const own = charted().filter(isOwn);
  expect(new Set(own.map(([, ...series]) => series.slice(0, -1).join()))).toEqual(
    new Set(emittedMetrics().map((series) => series.join())),
  );
});

test("the dashboard has the metrics of AWS that docs/alarms.md sends the operator to, drawn over time", () => {
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
    "Units of the table: ConsumedReadCapacityUnits: Sum",
    "Units of the table: ConsumedWriteCapacityUnits: Sum",
    "Throttles: 429, table, functions: ReadThrottleEvents: Sum",
    "Throttles: 429, table, functions: WriteThrottleEvents: Sum",
  ]);
  const throttled = new Set(chartsOf("AWS/Lambda"));
  expect(throttled).toEqual(
    new Set([
      "Executions at once in the account: ConcurrentExecutions: Maximum",
      "Throttles: 429, table, functions: Throttles: Sum",
    ]),
  );
  for (const { type, properties } of widgets()) {
    expect({ type, ...properties }).toMatchObject({ type: "metric", view: "timeSeries", region: "eu-west-1" });
    expect(properties.period).toBe(300);
    const { title, metrics } = properties;
    const stat = /p\d+/.exec(title)?.[0] ?? (title.startsWith("Executions") ? "Maximum" : "Sum");
    for (const series of metrics) expect(series.at(-1), title).toEqual({ stat });
  }
});

test("docs/alarms.md has the number of metrics that CloudWatch charges for, and their price", () => {
  // Those of the functions, and one of each host for its 429s.
  const metrics = emittedMetrics().length + all("cloudwatch/logMetricFilter:LogMetricFilter").length;
  const watched = alarms().flatMap(({ metricQueries }) => metricQueries.filter(({ metric }) => metric)).length;
  const text = readFileSync("docs/alarms.md", "utf8");
  expect(text).toContain(`$${Math.round(0.3 * metrics)} for ${metrics} metrics`);
  expect(text).toContain(`$${Math.round(0.1 * watched)} for the ${watched} metrics that the alarms watch`);
});

test("a budget tells the address at 80 % of what the resources of the stage may cost, and when 100 % is forecast", async () => {
  const { resources } = await evaluateStacks("production", { ALARM_EMAIL: "ops@example.com", MONTHLY_BUDGET: "100" });
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
  const traced = await evaluateStacks("dev-ann", { XRAY: "on" });
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
    expect(roles).toHaveLength(mode === "Active" ? endpoints.length + apis.length + 6 : 0);
  }
});
