import type { Tally } from "@reading-list/core/call-scope.ts";
import type { ServiceError } from "@reading-list/core/errors.ts";
import { isRefusal, statusOf } from "../http/errors.ts";
import { metricNames, serviceName } from "./metric-names.ts";
import { toSourcePlace } from "./source-places.ts";
import type { CallRecord, Report } from "./watch-calls.ts";

/** INFO logs every call, ERROR those that the service failed. */
export type LogLevel = "INFO" | "ERROR" | "SILENT";

/**
 * Writes a JSON line for each call to `output`, with its counts under the names of metrics. With `namespace` the line is
 * also in CloudWatch's embedded metric format: Lambda passes the metrics on, so that they cost no request.
 */
export function createCallLog({
  level = "INFO",
  namespace,
  output = process.stdout,
}: {
  level?: LogLevel;
  namespace?: string;
  output?: Pick<NodeJS.WriteStream, "write">;
} = {}): Report {
  return (call) => {
    const hasFailed = call.error?.kind === "unavailable";
    if (level === "SILENT" || (level === "ERROR" && !hasFailed)) return;
    const { requestId, source, endpoint, route, applicationId, status, error, milliseconds } = call;
    const byEndpoint: Metric[] = [
      [metricNames.byEndpoint.calls, 1, "Count"],
      [metricNames.byEndpoint.latency, milliseconds, "Milliseconds"],
    ];
    const overAll = countsOf(call);
    const line = {
      level: hasFailed ? "ERROR" : "INFO",
      message: hasFailed ? "call failed" : "call",
      timestamp: new Date().toISOString(),
      service: serviceName,
      release: process.env.RELEASE,
      ...{ endpoint, route, applicationId, status, requestId, source },
      memoryMegabytes: Math.round(process.memoryUsage.rss() / 1e6),
      ...(error && { error: error.kind }),
      ...(error && hasFailed && { awsRequestId: call.awsRequestId, ...failureOf(error) }),
      ...Object.fromEntries([...byEndpoint, ...overAll]),
      ...(namespace && { _aws: metricsOf(namespace, byEndpoint, overAll) }),
    };
    // Lambda's `console.log` would put its own words before the JSON.
    output.write(`${JSON.stringify(line)}\n`);
  };
}

type Metric = [name: string, value: number, unit: "Count" | "Milliseconds"];

function metricsOf(namespace: string, byEndpoint: Metric[], overAll: Metric[]) {
  const directive = (dimensions: string[], metrics: Metric[]) => ({
    Namespace: namespace,
    Dimensions: [dimensions],
    Metrics: metrics.map(([Name, , Unit]) => ({ Name, Unit })),
  });
  return {
    Timestamp: Date.now(),
    CloudWatchMetrics: [
      directive(["service", "endpoint"], byEndpoint),
      // CloudWatch refuses a directive without metrics.
      ...(overAll.length > 0 ? [directive(["service"], overAll)] : []),
    ],
  };
}

/** The counts of a call without zeros, because CloudWatch charges for each metric with a value. */
function countsOf({ error, tally }: CallRecord): Metric[] {
  const counts: Metric[] = [];
  // Not by the status of the answer: the APIs of other services have their own.
  if (error) counts.push([metricNames.errors[statusOf[error.kind]], 1, "Count"]);
  if (error?.kind === "unavailable") counts.push([metricNames.failures, 1, "Count"]);
  if (error && isRefusal(error.kind)) counts.push([metricNames.refusals[error.kind], 1, "Count"]);
  for (const what of Object.keys(tally) as (keyof Tally)[]) {
    if (tally[what] > 0) counts.push([metricNames.tally[what], tally[what], "Count"]);
  }
  return counts;
}

interface Failure {
  /** The error's name. */
  reason: string;
  /** The system's code, for example `ECONNREFUSED`: such errors are all named `Error`. */
  code?: string;
  /** SQLite's text for its result code, which holds no data, for example `database disk image is malformed`. */
  sqlite?: string;
  /** Where it was thrown: the lines of its stack. */
  places: string[];
}

/** An error as logged. Its message and other properties may contain a record or what a caller sent. */
function failureOf(error: ServiceError): Failure {
  const cause: NodeJS.ErrnoException = error.cause instanceof Error ? error.cause : error;
  // The message is part of the stack, too, and may have lines that look like places.
  const stack = (cause.stack ?? "").replace(cause.message, () => "");
  const lines = stack.split("\n").filter((line) => line.startsWith("    at "));
  const [code] = /^[A-Z][A-Z\d_]{1,40}$/.exec(String(cause.code)) ?? [];
  return {
    reason: cause.name,
    ...(code !== undefined && { code }),
    ...(code === "ERR_SQLITE_ERROR" && { sqlite: String((cause as { errstr?: unknown }).errstr) }),
    places: lines.map(toSourcePlace),
  };
}
