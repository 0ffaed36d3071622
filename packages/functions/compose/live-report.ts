import { createCallLog } from "../watch/call-log.ts";
import { createCallMetrics } from "../watch/call-metrics.ts";
import type { Report } from "../watch/watch-calls.ts";

/** What a deployed function writes about each call: a line for the log, and one of metrics. */
export function createLiveReport(metricNamespace: string): Report {
  const reports = [createCallLog(), createCallMetrics(metricNamespace)];
  return (call) => {
    for (const report of reports) report(call);
  };
}
