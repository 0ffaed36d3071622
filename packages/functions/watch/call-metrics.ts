import type { Tally } from "@reading-list/core/call-scope.ts";
import { isErrorStatus, isRefusal } from "../http/errors.ts";
import { metricNames, serviceName } from "./metric-names.ts";
import type { CallRecord, Report } from "./watch-calls.ts";

/**
 * The metrics of each call, as one line in CloudWatch's embedded metric format on standard output. Lambda passes the
 * line on to CloudWatch, so that metrics cost no request.
 */
export function createCallMetrics(namespace: string): Report {
  const directive = (dimensions: string[], metrics: Metric[]) => ({
    Namespace: namespace,
    Dimensions: [dimensions],
    Metrics: metrics.map(([Name, , Unit]) => ({ Name, Unit })),
  });
  return (call) => {
    const byEndpoint: Metric[] = [
      [metricNames.byEndpoint.calls, 1, "Count"],
      [metricNames.byEndpoint.latency, call.milliseconds, "Milliseconds"],
    ];
    const overAll = countsOf(call);
    const line = {
      _aws: {
        Timestamp: Date.now(),
        CloudWatchMetrics: [
          directive(["service", "endpoint"], byEndpoint),
          // CloudWatch refuses a directive without metrics.
          ...(overAll.length > 0 ? [directive(["service"], overAll)] : []),
        ],
      },
      service: serviceName,
      endpoint: call.endpoint,
      ...Object.fromEntries([...byEndpoint, ...overAll]),
    };
    // Lambda's `console.log` would put its own words before the JSON.
    process.stdout.write(`${JSON.stringify(line)}\n`);
  };
}

type Metric = [name: string, value: number, unit: "Count" | "Milliseconds"];

/** The metrics of a call without zeros, because CloudWatch charges for each metric with a value. */
function countsOf({ status, error, tally }: CallRecord): Metric[] {
  const counts: Metric[] = [];
  if (isErrorStatus(status)) counts.push([metricNames.errors[status], 1, "Count"]);
  if (error?.kind === "unavailable") counts.push([metricNames.failures, 1, "Count"]);
  if (error && isRefusal(error.kind)) counts.push([metricNames.refusals[error.kind], 1, "Count"]);
  for (const what of Object.keys(tally) as (keyof Tally)[]) {
    if (tally[what] > 0) counts.push([metricNames.tally[what], tally[what], "Count"]);
  }
  return counts;
}
