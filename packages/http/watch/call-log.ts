// SPDX-License-Identifier: MIT

import { emptyTally, type Tally } from "@reading-list/core/call-scope.ts";
import type { ServiceError } from "@reading-list/core/errors.ts";
import type { Clock } from "@reading-list/core/ports/clock.ts";
import { asServiceError, isRefusal, statusOf } from "../errors.ts";
import { type InnerFunction, metricNames, serviceName } from "./metric-names.ts";
import { toSourcePlace } from "./source-places.ts";
import type { CallRecord, Report } from "./watch-calls.ts";

/** INFO logs every call, ERROR only calls that the service failed. */
export type LogLevel = "INFO" | "ERROR" | "SILENT";

/** Milliseconds for which successful calls of a deployed process share a line, and the values that a metric of it has. */
const lineSpanMs = 1000;
const valuesOfLine = 100;
/** The metrics of calls of one endpoint. */
interface Measured {
  latencies: number[];
  counts: Map<string, number>;
}

/**
 * Writes JSON lines to `output`, with the counts of calls under the names of metrics. With `namespace` a line is also
 * in CloudWatch's embedded metric format: Lambda passes the metrics on, so that they cost no request. Each call that
 * was not answered with 200, or has a notice, has a line, and without `namespace` each other call, too. With it one in
 * `callsPerOwnLine` has, the first one included; the others of a second share a line, which the first call after that
 * second writes, because a line for each would cost more than the work of the database.
 */
export function createCallLog({
  level = "INFO",
  namespace,
  output = process.stdout,
  clock = Date,
  callsPerOwnLine = 100,
}: {
  level?: LogLevel;
  namespace?: string;
  output?: Pick<NodeJS.WriteStream, "write">;
  clock?: Clock;
  callsPerOwnLine?: number;
} = {}): Report {
  let successes = 0;
  let writtenAt = Number.NEGATIVE_INFINITY;
  /** Calls without a line yet, by endpoint. */
  const waiting = new Map<string, Measured>();

  const write = (measured: Measured, own: { level: string; message: string; endpoint: string }) => {
    const line = {
      ...own,
      ...origin(),
      ...metricValues(measured),
      ...(namespace && toMetrics(namespace, measured)),
    };
    // Lambda's `console.log` would put its own words before the JSON.
    output.write(`${JSON.stringify(line)}\n`);
  };
  const writeWaiting = () => {
    for (const [endpoint, measured] of waiting) write(measured, { level: "INFO", message: "calls", endpoint });
    waiting.clear();
    writtenAt = clock.now();
  };

  return (call) => {
    const hasFailed = call.error?.kind === "unavailable";
    if (level === "SILENT" || (level === "ERROR" && !hasFailed)) return;
    if (namespace === undefined || call.error || call.notice || successes++ % callsPerOwnLine === 0) {
      const measured = { latencies: [], counts: new Map() };
      measure(measured, call);
      write(measured, describeCall(call));
    } else {
      const measured = waiting.get(call.endpoint) ?? { latencies: [], counts: new Map() };
      waiting.set(call.endpoint, measured);
      measure(measured, call);
      const isFull = measured.latencies.length === valuesOfLine;
      if (isFull || Math.abs(clock.now() - writtenAt) >= lineSpanMs) writeWaiting();
    }
  };
}

const origin = () => ({
  timestamp: new Date().toISOString(),
  service: serviceName,
  release: process.env.RELEASE,
});

interface LineOptions {
  requestId?: string | undefined;
  output?: Pick<NodeJS.WriteStream, "write">;
}

/**
 * Writes the line of an unexpected error in a function that serves no endpoint; `requestId` belongs to the call for which
 * it works.
 */
export function logFailure(
  endpoint: InnerFunction,
  error: ServiceError,
  namespace: string,
  { requestId, output = process.stdout }: LineOptions = {},
): void {
  const own = { level: "ERROR", message: "call failed", endpoint, requestId, ...origin(), ...describeFailure(error) };
  const metrics = inMetricFormat(namespace, [
    [["service", "endpoint"], [{ Name: failures, Unit: "Count" }]],
    failuresOfVersion,
  ]);
  output.write(`${JSON.stringify({ ...own, ...readThisVersion(), [failures]: 1, ...metrics })}\n`);
}

/**
 * Writes the line of work other than calls of endpoints: the counts of the work, over all endpoints, and with `own`
 * further counts under the name of the function or schedule.
 */
export function logWork(
  endpoint: string,
  { tally = emptyTally(), own = {} }: { tally?: Tally; own?: Record<string, number> },
  namespace: string,
  { requestId, output = process.stdout }: LineOptions = {},
): void {
  const names = Object.keys(tally) as (keyof Tally)[];
  const counts = Object.fromEntries(
    names.flatMap((name) => (tally[name] ? [[metricNames.tally[name], tally[name]]] : [])),
  );
  const listMetrics = (each: object) => Object.keys(each).map((Name) => ({ Name, Unit: "None" }));
  const line = { level: "INFO", message: "work", endpoint, requestId, ...origin(), ...counts, ...own };
  const metrics = inMetricFormat(namespace, [
    [["service", "endpoint"], listMetrics(own)],
    [["service"], listMetrics(counts)],
  ]);
  output.write(`${JSON.stringify({ ...line, ...metrics })}\n`);
}

/** The line of a call without its metrics. */
function describeCall(call: CallRecord) {
  const { requestId, source, endpoint, route, applicationId, status, notice, error } = call;
  const hasFailed = error?.kind === "unavailable";
  return {
    level: hasFailed ? "ERROR" : "INFO",
    message: hasFailed ? "call failed" : "call",
    endpoint,
    route,
    applicationId,
    status,
    requestId,
    source,
    memoryMegabytes: Math.round(process.memoryUsage.rss() / 1e6),
    ...(notice && { notice }),
    ...(error && { error: error.kind }),
    ...(error && hasFailed && { awsRequestId: call.awsRequestId, ...describeFailure(error) }),
    ...(call.failure !== undefined && { hidden: describeFailure(asServiceError(call.failure)) }),
  };
}

/** Adds a call, without counts of zero, because CloudWatch charges for each metric with a value. */
function measure({ latencies, counts }: Measured, { milliseconds, error, tally }: CallRecord): void {
  const add = (name: string, value = 1) => counts.set(name, (counts.get(name) ?? 0) + value);
  latencies.push(milliseconds);
  // Not by the status of the answer: the APIs of other services have their own.
  if (error) add(metricNames.errors[statusOf[error.kind]]);
  if (error?.kind === "unavailable") add(failures);
  if (error?.kind === "busy") add(metricNames.busy);
  if (error && isRefusal(error.kind)) add(metricNames.refusals[error.kind]);
  for (const what of Object.keys(tally) as (keyof Tally)[]) {
    if (tally[what] > 0) add(metricNames.tally[what], tally[what]);
  }
}

const { calls, latency, failures } = metricNames.byEndpoint;

const metricValues = ({ latencies, counts }: Measured) => ({
  [calls]: latencies.length,
  [latency]: latencies.length === 1 ? latencies[0] : latencies,
  ...Object.fromEntries(counts),
});

type Directive = [dimensions: string[], metrics: { Name: string; Unit: string }[]];

/** The part of a line that makes it metrics; CloudWatch refuses a directive without metrics. */
const inMetricFormat = (namespace: string, directives: Directive[]) => ({
  _aws: {
    Timestamp: Date.now(),
    CloudWatchMetrics: directives
      .filter(([, metrics]) => metrics.length > 0)
      .map(([dimensions, metrics]) => ({ Namespace: namespace, Dimensions: [dimensions], Metrics: metrics })),
  },
});

/** The dimensions of failures that the canary watches. */
const readThisVersion = () => ({
  function: process.env.AWS_LAMBDA_FUNCTION_NAME,
  version: process.env.AWS_LAMBDA_FUNCTION_VERSION,
});
const failuresOfVersion: Directive = [["service", "function", "version"], [{ Name: failures, Unit: "Count" }]];

const refused = new Set<string>([metricNames.errors[400], metricNames.errors[401], metricNames.errors[403]]);

function toMetrics(namespace: string, { counts }: Measured) {
  const counted = [...counts.keys()].map((Name) => ({ Name, Unit: "Count" }));
  const failed = counted.filter(({ Name }) => Name === failures);
  const overAll = counted.filter(({ Name }) => Name !== failures);
  const metrics = inMetricFormat(namespace, [
    [
      ["service", "endpoint"],
      [{ Name: calls, Unit: "Count" }, { Name: latency, Unit: "Milliseconds" }, ...failed],
    ],
    [["service"], overAll],
    // The canary compares the counts of releases; a missing name would make the line invalid.
    [["service", "release"], process.env.RELEASE === undefined ? [] : overAll.filter(({ Name }) => refused.has(Name))],
    ...(failed.length > 0 ? [failuresOfVersion] : []),
  ]);
  return { ...(failed.length > 0 && readThisVersion()), ...metrics };
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
function describeFailure(error: ServiceError): Failure {
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
