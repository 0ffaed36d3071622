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

const { errors, refusals, tally, ...single } = metricNames;
/** The names that the functions emit, as `tests/watch/metrics.test.ts` proves. */
const emitted = [single, errors, refusals, tally].flatMap((names): string[] => Object.values(names));

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
        ["AWS/ApiGateway", "Latency", { ApiId }, "p99"],
      ]),
      ...functions().map(({ inputs }) => ["AWS/Lambda", "Throttles", { FunctionName: inputs.name }, "Sum"]),
    ];
    expect(watched).toHaveLength(expected.length);
    expect(watched).toEqual(expect.arrayContaining(expected));
    for (const { inputs } of functions()) expect(inputs.name).toEqual(expect.any(String));
  });

  test("sends each alarm to its topic, when it rings and when it is over, and takes silence for health", () => {
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

  test("tells the e-mail address of its settings, where there is one", () => {
    const subscriptions = all(evaluations[stage], "sns/topicSubscription:TopicSubscription");
    const expected = stage === "production" ? [{ topic: topic(), protocol: "email", endpoint: email }] : [];
    expect(subscriptions.map(({ inputs }) => inputs)).toMatchObject(expected);
    expect(subscriptions).toHaveLength(expected.length);
  });

  test("has a page in the docs that tells of each alarm what to do", () => {
    const rows = [...readFileSync("docs/alarms.md", "utf8").matchAll(/^\| (`[^|]*) \|/gm)].map(([, cell]) => cell);
    const named = rows.flatMap((cell) => [...(cell ?? "").matchAll(/`(\w+)`/g)].map(([, name]) => name));
    expect(named.sort()).toEqual(
      alarms()
        .map(({ name }) => name.replace(`reading-list-${stage}-`, ""))
        .sort(),
    );
  });

  test("shows every metric that the functions emit on its dashboard, and none that they do not", () => {
    const [dashboard, ...others] = all(evaluations[stage], "cloudwatch/dashboard:Dashboard");
    expect(others).toEqual([]);
    const { widgets } = JSON.parse(String(dashboard?.inputs.dashboardBody)) as {
      widgets: { properties: { metrics: [string, string, ...unknown[]][]; region: string } }[];
    };
    const metrics = widgets.flatMap(({ properties }) => properties.metrics);
    for (const { properties } of widgets) expect(properties.region).toBe("eu-west-1");
    const own = metrics.filter(([from]) => from === namespace);
    expect(new Set(own.map(([, name]) => name))).toEqual(new Set(emitted));
    for (const statistic of ["p50", "p99"]) {
      for (const { name } of endpoints) {
        const dimensions = ["service", serviceName, "endpoint", name];
        expect(own).toContainEqual([namespace, metricNames.latency, ...dimensions, { stat: statistic }]);
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

  test("bounds how many calls signup and text carry out at once, and no other function", () => {
    const bounded = functions().filter(({ inputs }) => inputs.reservedConcurrentExecutions !== undefined);
    expect(bounded.map(({ name }) => name).sort()).toEqual(["SignupFunction", "TextFunction"]);
    for (const { inputs } of bounded) expect(inputs.reservedConcurrentExecutions).toBeGreaterThan(0);
  });

  test("tags all that it creates, by the provider that creates it", () => {
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

  test("records every function where XRAY is on", () => {
    expect(modesOf(evaluations.traced)).toEqual(new Set(["Active"]));
    expect(mayTrace(evaluations.traced)).toHaveLength(endpoints.length + 2);
  });
});
