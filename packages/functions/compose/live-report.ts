import { createCallLog } from "../watch/call-log.ts";
import { createCallMetrics } from "../watch/call-metrics.ts";
import type { Report } from "../watch/watch-calls.ts";

/** What a deployed function says of each call: a line in the log, and one of metrics. */
export function createLiveReport(): Report {
  const reports = [createCallLog(), createCallMetrics()];
  return (call) => {
    for (const report of reports) report(call);
  };
}
