import { readFileSync } from "node:fs";
import { endpoints } from "@reading-list/core/contract/endpoints.ts";
import { metricNames, serviceName } from "@reading-list/functions/watch/metric-names.ts";
import { beforeAll, describe, expect, test } from "vitest";
import { type Evaluation, evaluateStacks } from "./evaluate.ts";

const email = "ops@example.com";
const evaluations = {} as Record<"staging" | "production" | "traced", Evaluation>;

beforeAll(async () => {
  evaluations.staging = await evaluateStacks("staging");
  evaluations.production = await evaluateStacks("production", { ALARM_EMAIL: email });
  evaluations.traced = await evaluateStacks("staging", { XRAY: "on" });
});

const all = (evaluation: Evaluation, type: string) =>
  evaluation.resources.filter((resource) => resource.type === `aws:${type}`);

interface AlarmInputs {
  name: string;
  namespace: string;
  metricName: string;
  dimensions: Record<string, string>;
  statistic?: string;
  extendedStatistic?: string;
  [input: string]: unknown;
}

const { byEndpoint, errors, refusals, tally, ...single } = metricNames;
/** The metrics that the functions emit (tests/watch/metrics.test.ts): by endpoint, and over all endpoints. */
const emittedByEndpoint: string[] = Object.values(byEndpoint);
const emittedOverAll = [single, errors, refusals, tally].flatMap((names): string[] => Object.values(names));

describe.each(["staging", "production"] as const)("stage %s", (stage) => {
  const namespace = `reading-list/${stage}`;
  const functions = () => all(evaluations[stage], "lambda/function:Function");
  const tableName = () => String(all(evaluations[stage], "dynamodb/table:Table")[0]?.inputs.name);
  const alarms = () =>
    all(evaluations[stage], "cloudwatch/metricAlarm:MetricAlarm").map(({ inputs }) => inputs as AlarmInputs);
  const topic = () => `arn:aws:other:eu-west-1:123456789012:${all(evaluations[stage], "sns/topic:Topic")[0]?.name}`;

  test("has alarms for 5xx, latency, throttles, floods of 403 and our own 503s, and no others", () => {
    const own = { service: serviceName };
    const watched = alarms().map(({ namespace, metricName, dimensions, statistic, extendedStatistic }) => [
      namespace,
      metricName,
      dimensions,
      statistic ?? extendedStatistic,
    ]);
    const expected = [
      [namespace, metricNames.failures, own, "Sum"],
      [namespace, metricNames.errors[403], own, "Sum"],
      ["AWS/DynamoDB", "ReadThrottleEvents", { TableName: tableName() }, "Sum"],
      ["AWS/DynamoDB", "WriteThrottleEvents", { TableName: tableName() }, "Sum"],
      ...["MainApiApi-id", "TextApiApi-id"].flatMap((ApiId) => [
        ["AWS/ApiGateway", "5xx", { ApiId }, "Sum"],
        ["AWS/ApiGateway", "Latency", { ApiId }, "p90"],
      ]),
      ...functions().map(({ inputs }) => ["AWS/Lambda", "Throttles", { FunctionName: inputs.name }, "Sum"]),
    ];
    expect(watched).toHaveLength(expected.length);
    expect(watched).toEqual(expect.arrayContaining(expected));
    for (const { inputs } of functions()) expect(inputs.name).toEqual(expect.any(String));
  });

  test("sends each alarm to its topic when it starts and ends, and treats missing data as healthy", () => {
    expect(all(evaluations[stage], "sns/topic:Topic")).toHaveLength(1);
    for (const alarm of alarms()) {
      expect(alarm).toMatchObject({
        name: expect.stringMatching(new RegExp(`^reading-list-${stage}-`)),
        alarmActions: [topic()],
        okActions: [topic()],
        treatMissingData: "notBreaching",
        comparisonOperator: "GreaterThanOrEqualToThreshold",
        period: 300,
      });
      expect(alarm.threshold).toBeGreaterThan(0);
    }
  });

  test("evaluates latency for every 15 minutes with calls, however few", () => {
    const latency = alarms().filter(({ metricName }) => metricName === "Latency");
    expect(latency.map(({ period, evaluationPeriods }) => Number(period) * Number(evaluationPeriods))).toEqual([
      900, 900,
    ]);
    // If told to ignore few samples, CloudWatch treats the p99 of less than 1,000 calls as missing data.
    for (const alarm of latency) expect(alarm.evaluateLowSampleCountPercentiles ?? "evaluate").toBe("evaluate");
  });

  test("rings for 5 throttles, and for 50 of a function with reserved concurrency", () => {
    const thresholds = Object.fromEntries(
      alarms()
        .filter(({ metricName }) => metricName === "Throttles")
        .map(({ name, threshold }) => [name.replace(`reading-list-${stage}-`, ""), threshold]),
    );
    expect(thresholds).toMatchObject({
      SignupThrottles: stage === "production" ? 50 : 5,
      TextThrottles: stage === "production" ? 50 : 5,
      GetThrottles: 5,
    });
  });

  test("subscribes the e-mail address of its settings, if there is one", () => {
    const subscriptions = all(evaluations[stage], "sns/topicSubscription:TopicSubscription");
    const expected = stage === "production" ? [{ topic: topic(), protocol: "email", endpoint: email }] : [];
    expect(subscriptions.map(({ inputs }) => inputs)).toMatchObject(expected);
    expect(subscriptions).toHaveLength(expected.length);
  });

  test("has a row in docs/alarms.md for each alarm", () => {
    const rows = [...readFileSync("docs/alarms.md", "utf8").matchAll(/^\| (`[A-Z][^|]*) \|/gm)].map(([, cell]) => cell);
    const named = rows.flatMap((cell) => [...(cell ?? "").matchAll(/`(\w+)`/g)].map(([, name]) => name));
    expect(named.sort()).toEqual(
      alarms()
        .map(({ name }) => name.replace(`reading-list-${stage}-`, ""))
        .sort(),
    );
  });

  test("has exactly the metrics that the functions emit on its dashboard", () => {
    const [dashboard, ...others] = all(evaluations[stage], "cloudwatch/dashboard:Dashboard");
    expect(others).toEqual([]);
    const { widgets } = JSON.parse(String(dashboard?.inputs.dashboardBody)) as {
      widgets: { properties: { metrics: [string, string, ...unknown[]][]; region: string } }[];
    };
    const metrics = widgets.flatMap(({ properties }) => properties.metrics);
    for (const { properties } of widgets) expect(properties.region).toBe("eu-west-1");
    const own = metrics.filter(([from]) => from === namespace);
    const expected = [
      ...emittedOverAll.map((name) => [name, "service", serviceName]),
      ...emittedByEndpoint.flatMap((name) =>
        endpoints.map((endpoint) => [name, "service", serviceName, "endpoint", endpoint.name]),
      ),
    ].map((series) => series.join());
    expect(new Set(own.map(([, ...series]) => series.slice(0, -1).join()))).toEqual(new Set(expected));
    for (const statistic of ["p50", "p99"]) {
      for (const { name } of endpoints) {
        const dimensions = ["service", serviceName, "endpoint", name];
        expect(own).toContainEqual([namespace, byEndpoint.latency, ...dimensions, { stat: statistic }]);
      }
    }
    const platform = metrics.filter(([from]) => from !== namespace).map(([from, name]) => `${from} ${name}`);
    expect(new Set(platform)).toEqual(
      new Set([
        "AWS/ApiGateway 5xx",
        "AWS/ApiGateway Latency",
        "AWS/DynamoDB ReadThrottleEvents",
        "AWS/DynamoDB WriteThrottleEvents",
        "AWS/Lambda Throttles",
      ]),
    );
  });

  // A new AWS account has a limit of 10 concurrent executions and cannot reserve any.
  test("reserves concurrency for signup and text in production, and for no function of another stage", () => {
    const bounded = functions().filter(({ inputs }) => inputs.reservedConcurrentExecutions !== undefined);
    const expected = stage === "production" ? ["SignupFunction", "TextFunction"] : [];
    expect(bounded.map(({ name }) => name).sort()).toEqual(expected);
    for (const { inputs } of bounded) expect(inputs.reservedConcurrentExecutions).toBeGreaterThan(0);
  });

  test("has as many metrics and alarms as docs/alarms.md says", () => {
    const metrics = emittedOverAll.length + emittedByEndpoint.length * endpoints.length;
    const [, documentedMetrics, documentedAlarms] =
      /at most (\d+) metrics .* (\d+) alarms/.exec(readFileSync("docs/alarms.md", "utf8")) ?? [];
    expect([Number(documentedMetrics), Number(documentedAlarms)]).toEqual([metrics, alarms().length]);
  });

  test("tags all its resources, through the provider", () => {
    expect(evaluations[stage].app.providers).toEqual({
      aws: { defaultTags: { tags: { service: "reading-list", stage } } },
    });
  });
});

describe("X-Ray", () => {
  const modesOf = (evaluation: Evaluation) =>
    new Set(all(evaluation, "lambda/function:Function").map(({ inputs }) => Object(inputs.tracingConfig).mode));
  const mayTrace = (evaluation: Evaluation) =>
    all(evaluation, "iam/role:Role").filter(({ inputs }) => JSON.stringify(inputs).includes("xray:PutTraceSegments"));

  test("is off by default", () => {
    expect(modesOf(evaluations.staging)).toEqual(new Set(["PassThrough"]));
    expect(modesOf(evaluations.production)).toEqual(new Set(["PassThrough"]));
    expect(mayTrace(evaluations.production)).toEqual([]);
  });

  test("traces every function with XRAY=on", () => {
    expect(modesOf(evaluations.traced)).toEqual(new Set(["Active"]));
    expect(mayTrace(evaluations.traced)).toHaveLength(endpoints.length + 2);
  });
});
