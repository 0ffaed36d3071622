import { readFileSync } from "node:fs";
import { endpoints } from "@reading-list/core/contract/endpoints.ts";
import { metricNames, serviceName } from "@reading-list/functions/watch/metric-names.ts";
import { beforeAll, describe, expect, test } from "vitest";
import { type Evaluation, evaluateStacks } from "./evaluate.ts";

let evaluation: Evaluation;

beforeAll(async () => {
  evaluation = await evaluateStacks("production", { ALARM_EMAIL: "ops@example.com" });
});

const all = (type: string) => evaluation.resources.filter((resource) => resource.type === `aws:${type}`);

interface AlarmInputs {
  name: string;
  threshold: number;
  metricQueries: { id: string; expression?: string; metric?: { metricName: string } }[];
}

const alarms = () => all("cloudwatch/metricAlarm:MetricAlarm").map(({ inputs }) => inputs as unknown as AlarmInputs);
const nameOf = ({ name }: AlarmInputs) => name.replace("reading-list-production-", "");

/** The value of an alarm's metric math if metrics have these values, or 0. */
function valueAt({ metricQueries }: AlarmInputs, values: Record<string, number>): number {
  const metrics = metricQueries.flatMap(({ id, metric }) => (metric ? [[id, values[metric.metricName] ?? 0]] : []));
  const { expression = metrics[0]?.[0] } = metricQueries.find((query) => query.expression !== undefined) ?? {};
  const functions = {
    IF: (condition: boolean, yes: number, no: number) => (condition ? yes : no),
    FILL: (value: unknown) => value,
    METRICS: () => metrics.map(([, value]) => value),
    SUM: (list: number[]) => list.reduce((sum, value) => sum + value, 0),
  };
  const names = { ...Object.fromEntries(metrics), ...functions };
  return new Function(...Object.keys(names), `return ${expression}`)(...Object.values(names));
}

const ringing = (values: Record<string, number>) =>
  alarms()
    .filter((alarm) => valueAt(alarm, values) >= alarm.threshold)
    .map(nameOf)
    .sort();

describe("alarms", () => {
  test("ring in an incident of their kind, and no others do", () => {
    const load = { Count: 10_000 };
    expect(ringing({ ...load, Latency: 1500, Failures: 100, "5xx": 100, Errors403: 1000, Throttles: 1 })).toEqual([]);
    expect(ringing({ ...load, "5xx": 300 })).toEqual(["MainApiErrors", "TextApiErrors"]);
    expect(ringing({ ...load, Failures: 500 })).toEqual(["Failures"]);
    expect(ringing({ ...load, Errors403: 5000 })).toEqual(["Refusals"]);
    expect(ringing({ ...load, Latency: 2500 })).toEqual(["MainApiLatency"]);
    expect(ringing({ ...load, Latency: 12_500 })).toEqual(["MainApiLatency", "TextApiLatency"]);
    expect(ringing({ ...load, Throttles: 10 })).toEqual(["Throttles"]);
    expect(ringing({ "TooManyRequests-main": 60, "TooManyRequests-text": 60 })).toEqual(["TooManyRequests"]);
    expect(ringing({ ConcurrentExecutions: 850 })).toEqual(["AccountConcurrency"]);
    expect(ringing({ ReadThrottleEvents: 20, WriteThrottleEvents: 20 })).toEqual([
      "TableReadThrottles",
      "TableWriteThrottles",
    ]);
    // 3,500 of 4,000 units a second.
    const units = 300 * 3500;
    expect(ringing({ ConsumedReadCapacityUnits: units, ConsumedWriteCapacityUnits: units })).toEqual([
      "TableReadUnits",
      "TableWriteUnits",
    ]);
  });

  test("do not ring because of a few calls", () => {
    expect(ringing({ Count: 9, Failures: 9, "5xx": 9, Errors403: 9, Latency: 20_000 })).toEqual([]);
  });

  test("each have a row in docs/alarms.md", () => {
    const rows = [...readFileSync("docs/alarms.md", "utf8").matchAll(/^\| (`[A-Z][^|]*) \|/gm)].map(([, cell]) => cell);
    const named = rows.flatMap((cell) => [...(cell ?? "").matchAll(/`(\w+)`/g)].map(([, name]) => name));
    expect(named.sort()).toEqual(alarms().map(nameOf).sort());
  });
});

test("the dashboard has exactly the metrics that the functions emit", () => {
  const { byEndpoint, errors, refusals, tally, ...single } = metricNames;
  const overAll = [single, errors, refusals, tally].flatMap((names): string[] => Object.values(names));
  const expected = [
    ...overAll.map((name) => [name, "service", serviceName]),
    ...Object.values(byEndpoint).flatMap((name) =>
      endpoints.map((endpoint) => [name, "service", serviceName, "endpoint", endpoint.name]),
    ),
  ].map((series) => series.join());
  const { widgets } = JSON.parse(String(all("cloudwatch/dashboard:Dashboard")[0]?.inputs.dashboardBody)) as {
    widgets: { properties: { metrics: [string, string, ...unknown[]][] } }[];
  };
  const own = widgets
    .flatMap(({ properties }) => properties.metrics)
    .filter(([from, name]) => from === "reading-list/production" && !name.startsWith("TooManyRequests"));
  expect(new Set(own.map(([, ...series]) => series.slice(0, -1).join()))).toEqual(new Set(expected));
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
    const roles = resources.filter(({ inputs }) => JSON.stringify(inputs).includes("xray:PutTraceSegments"));
    expect(roles).toHaveLength(mode === "Active" ? endpoints.length + 4 : 0);
  }
});
