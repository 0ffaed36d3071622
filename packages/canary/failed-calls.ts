// SPDX-License-Identifier: MIT

import { type CloudWatchClient, type MetricDataQuery, paginateGetMetricData } from "@aws-sdk/client-cloudwatch";
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
 * Counts the calls that the new and the former versions have failed since a time in ms: those answered with 503, by our
 * own metric, and those that ended in a crash or a timeout, by Lambda's. CloudWatch takes the metrics of 125 functions in
 * a request, and shows a failure after about a minute.
 */
export async function countFailedCalls(
  cloudwatch: CloudWatchClient,
  { namespace, functions, since }: { namespace: string; functions: readonly Versions[]; since: number },
): Promise<FailedCalls> {
  const metricsOf = (functionName: string, version: string) => [
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
  const kinds = ["next", "former"] as const;
  const queries: MetricDataQuery[] = kinds.flatMap((kind) =>
    functions
      .flatMap((each) => metricsOf(each.functionName, each[kind]))
      .map((Metric, index) => ({
        Id: `${kind}${index}`,
        MetricStat: { Metric, Period: periodMs / 1000, Stat: "Sum" },
      })),
  );
  const failed: FailedCalls = { next: 0, former: 0 };
  const pages = paginateGetMetricData(
    { client: cloudwatch },
    {
      MetricDataQueries: queries,
      StartTime: new Date(since - (since % periodMs)),
      EndTime: new Date(Date.now() + periodMs),
    },
  );
  for await (const { MetricDataResults = [] } of pages) {
    for (const { Id = "", Values = [] } of MetricDataResults) {
      const kind = Id.startsWith("next") ? "next" : "former";
      failed[kind] += Values.reduce((sum, value) => sum + value, 0);
    }
  }
  return failed;
}

const dimensions = (values: Record<string, string>) => Object.entries(values).map(([Name, Value]) => ({ Name, Value }));
