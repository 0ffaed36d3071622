import { Metrics } from "@aws-lambda-powertools/metrics";
import type { Tally } from "@reading-list/core/tally.ts";
import { isErrorStatus, isRefusal } from "../http/errors.ts";
import { metricNames, serviceName } from "./metric-names.ts";
import type { CallRecord, Report } from "./watch-calls.ts";

/**
 * The metrics of each call, as a line in CloudWatch's embedded format on standard output, so that they cost no round
 * trip: over all endpoints, and by endpoint. The stacks name the namespace (POWERTOOLS_METRICS_NAMESPACE).
 */
export function createCallMetrics(): Report {
  const metrics = new Metrics({ serviceName });
  return (call) => {
    metrics.addDimensions({}).addDimensions({ endpoint: call.endpoint });
    metrics.addMetric(metricNames.latency, "Milliseconds", call.milliseconds);
    for (const [name, value] of countsOf(call)) metrics.addMetric(name, "Count", value);
    metrics.publishStoredMetrics();
  };
}

/** What happened in a call, by name of metric; what did not happen is left out, as each name is paid for. */
function countsOf({ status, error, tally }: CallRecord): [name: string, value: number][] {
  const counts: [string, number][] = [[metricNames.calls, 1]];
  if (isErrorStatus(status)) counts.push([metricNames.errors[status], 1]);
  if (error?.kind === "unavailable") counts.push([metricNames.failures, 1]);
  if (error && isRefusal(error.kind)) counts.push([metricNames.refusals[error.kind], 1]);
  for (const what of Object.keys(tally) as (keyof Tally)[]) {
    if (tally[what] > 0) counts.push([metricNames.tally[what], tally[what]]);
  }
  return counts;
}
