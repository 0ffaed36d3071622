// SPDX-License-Identifier: MIT

import {
  type CloudWatchClient,
  type Metric,
  type MetricDataQuery,
  paginateGetMetricData,
} from "@aws-sdk/client-cloudwatch";
import { metricNames, serviceName } from "@reading-list/http/watch/metric-names.ts";
import type { FailedCalls } from "./is-worse.ts";

/** The versions of a function that get calls. */
export interface Versions {
  functionName: string;
  next: string;
  former: string;
}

const periodMs = 60_000;

/**
 * Counts the calls that the new and the previous versions have failed since a time in ms: calls answered with 503, by
 * our own metric, and calls that ended in a crash or a timeout, by Lambda's. CloudWatch takes the metrics of 125
 * functions in a request, and shows a failure after about a minute.
 */
export async function countFailedCalls(
  cloudwatch: CloudWatchClient,
  { namespace, functions, since }: { namespace: string; functions: readonly Versions[]; since: number },
): Promise<FailedCalls> {
  const listMetrics = (functionName: string, version: string) => [
    {
      Namespace: namespace,
      MetricName: metricNames.byEndpoint.failures,
      Dimensions: dimensions({ service: serviceName, function: functionName, version }),
    },
    {
      Namespace: "AWS/Lambda",
      MetricName: "Errors",
      Dimensions: dimensions({
        FunctionName: functionName,
        Resource: `${functionName}:live`,
        ExecutedVersion: version,
      }),
    },
  ];
  const listQueries = (kind: keyof FailedCalls) =>
    functions
      .flatMap((each) => listMetrics(each.functionName, each[kind]))
      .map((Metric, index) => metricQuery(`${kind}${index}`, Metric));
  const failed: FailedCalls = { next: 0, former: 0 };
  const queries = [...listQueries("next"), ...listQueries("former")];
  for (const [id, sum] of await readSums(cloudwatch, queries, since, Date.now() + periodMs)) {
    failed[id.startsWith("next") ? "next" : "former"] += sum;
  }
  return failed;
}

/** Statuses with which calls are refused. */
const refused = [400, 401, 403] as const;
const lookBackMs = 3_600_000;

/**
 * Counts the calls that the new release and all others have refused since a time in ms, by status. Empty if the release
 * has the same name as the previous one: then their calls cannot be distinguished.
 */
export async function countRefusedCalls(
  cloudwatch: CloudWatchClient,
  { namespace, release, since }: { namespace: string; release: string; since: number },
): Promise<Map<string, FailedCalls>> {
  const queries = refused.flatMap((status) =>
    [{ service: serviceName, release }, { service: serviceName }].map((values, index) =>
      metricQuery(`${index === 0 ? "next" : "all"}${status}`, {
        Namespace: namespace,
        MetricName: metricNames.errors[status],
        Dimensions: dimensions(values),
      }),
    ),
  );
  const begun = since - (since % periodMs);
  const before = await readSums(cloudwatch, queries, begun - lookBackMs, begun);
  const sumBefore = (kind: string) => refused.reduce((sum, status) => sum + (before.get(`${kind}${status}`) ?? 0), 0);
  // A release that was tried before and rolled back had a tenth of the calls.
  if (sumBefore("next") > 0.5 * sumBefore("all")) return new Map();
  const now = await readSums(cloudwatch, queries, begun, Date.now() + periodMs);
  return new Map(
    refused.map((status) => {
      const next = now.get(`next${status}`) ?? 0;
      return [String(status), { next, former: Math.max(0, (now.get(`all${status}`) ?? 0) - next) }];
    }),
  );
}

const metricQuery = (Id: string, Metric: Metric): MetricDataQuery => ({
  Id,
  MetricStat: { Metric, Period: periodMs / 1000, Stat: "Sum" },
});

/** The sums of metrics between two times in ms, by the id of the query. */
async function readSums(
  client: CloudWatchClient,
  MetricDataQueries: MetricDataQuery[],
  from: number,
  to: number,
): Promise<Map<string, number>> {
  const sums = new Map<string, number>();
  const times = { StartTime: new Date(from - (from % periodMs)), EndTime: new Date(to) };
  for await (const { MetricDataResults = [] } of paginateGetMetricData({ client }, { MetricDataQueries, ...times })) {
    for (const { Id = "", Values = [] } of MetricDataResults) {
      sums.set(
        Id,
        Values.reduce((sum, value) => sum + value, sums.get(Id) ?? 0),
      );
    }
  }
  return sums;
}

const dimensions = (values: Record<string, string>) => Object.entries(values).map(([Name, Value]) => ({ Name, Value }));
