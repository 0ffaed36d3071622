import { endpoints } from "@reading-list/core/contract/endpoints.ts";
import { metricNames, serviceName } from "@reading-list/functions/watch/metric-names.ts";
import { metricNamespace } from "./functions.ts";
import type { HttpApi } from "./http-api.ts";
import type { Host, StageSettings } from "./settings.ts";

/** A metric in CloudWatch, and its statistic. */
interface Metric {
  namespace: string;
  metricName: string;
  dimensions: Record<string, $util.Input<string>>;
  /** For example `Sum` or `p90`. */
  statistic: string;
}

/** When to ring; `docs/alarms.md` explains what it means and what to do. */
interface Alarm {
  metric: Metric;
  /** Rings at this value and above. */
  threshold: number;
  /** Consecutive periods of five minutes, each of which must reach the threshold. */
  periods: number;
  description: string;
}

const periodSeconds = 300;

/** A metric that the functions emit, of one endpoint or over all endpoints. */
const ownMetric = (metricName: string, statistic: string, endpoint?: string): Metric => ({
  namespace: metricNamespace(),
  metricName,
  dimensions: { service: serviceName, ...(endpoint !== undefined && { endpoint }) },
  statistic,
});

const apiMetric = ({ api }: HttpApi, metricName: string, statistic: string): Metric => ({
  namespace: "AWS/ApiGateway",
  metricName,
  dimensions: { ApiId: api.nodes.api.id },
  statistic,
});

const functionThrottles = ({ name }: sst.aws.Function): Metric => ({
  namespace: "AWS/Lambda",
  metricName: "Throttles",
  dimensions: { FunctionName: name },
  statistic: "Sum",
});

const tableThrottles = ({ name }: sst.aws.Dynamo, kind: "Read" | "Write"): Metric => ({
  namespace: "AWS/DynamoDB",
  metricName: `${kind}ThrottleEvents`,
  dimensions: { TableName: name },
  statistic: "Sum",
});

/** The name of a host in alarms, and its limit for the latency of the slowest tenth of its calls, in milliseconds. */
const hosts = {
  main: { title: "MainApi", slow: 2000 },
  // `text` waits up to 10 s for other servers.
  text: { title: "TextApi", slow: 12_000 },
} satisfies Record<Host, object>;

/**
 * Calls refused by Lambda in five minutes before an alarm rings. A function with reserved concurrency refuses calls in
 * short peaks by design.
 */
const throttlesAllowed = { unreserved: 5, reserved: 50 };

/** Alarms and a dashboard for a stage; the alarms go to the e-mail address in its settings. */
export function createObservability(apis: Record<Host, HttpApi>, table: sst.aws.Dynamo, settings: StageSettings): void {
  const topic = new aws.sns.Topic("Alarms");
  if (settings.alarmEmail !== undefined) {
    new aws.sns.TopicSubscription("AlarmEmail", {
      topic: topic.arn,
      protocol: "email",
      endpoint: settings.alarmEmail,
    });
  }
  for (const [name, alarm] of Object.entries(alarmsOf(apis, table, settings))) createAlarm(name, alarm, topic);
  new aws.cloudwatch.Dashboard("Dashboard", {
    dashboardName: `${$app.name}-${$app.stage}`,
    dashboardBody: $jsonStringify({ widgets: widgetsOf(apis, table) }),
  });
}

function alarmsOf(
  apis: Record<Host, HttpApi>,
  table: sst.aws.Dynamo,
  { reservedConcurrency }: StageSettings,
): Record<string, Alarm> {
  const alarms: Record<string, Alarm> = {
    Failures: {
      metric: ownMetric(metricNames.failures, "Sum"),
      threshold: 5,
      periods: 1,
      description: "The service failed calls with 503",
    },
    Refusals: {
      metric: ownMetric(metricNames.errors[403], "Sum"),
      threshold: 1000,
      periods: 1,
      description: "Many calls were refused with 403",
    },
    TableReadThrottles: {
      metric: tableThrottles(table, "Read"),
      threshold: 10,
      periods: 1,
      description: "DynamoDB throttled reads",
    },
    TableWriteThrottles: {
      metric: tableThrottles(table, "Write"),
      threshold: 10,
      periods: 1,
      description: "DynamoDB throttled writes",
    },
  };
  for (const host of ["main", "text"] as const) {
    const { title, slow } = hosts[host];
    alarms[`${title}Errors`] = {
      metric: apiMetric(apis[host], "5xx", "Sum"),
      threshold: 5,
      periods: 1,
      description: `The ${host} host answered with 5xx`,
    };
    alarms[`${title}Latency`] = {
      metric: apiMetric(apis[host], "Latency", "p90"),
      threshold: slow,
      periods: 3,
      description: `One in ten calls of the ${host} host is slow`,
    };
    for (const [name, each] of Object.entries(apis[host].functions)) {
      alarms[`${name.charAt(0).toUpperCase()}${name.slice(1)}Throttles`] = {
        metric: functionThrottles(each),
        threshold: name in reservedConcurrency ? throttlesAllowed.reserved : throttlesAllowed.unreserved,
        periods: 1,
        description: `Lambda throttled calls of ${name}`,
      };
    }
  }
  return alarms;
}

function createAlarm(name: string, { metric, threshold, periods, description }: Alarm, topic: aws.sns.Topic): void {
  const { statistic, ...what } = metric;
  new aws.cloudwatch.MetricAlarm(`${name}Alarm`, {
    name: `${$app.name}-${$app.stage}-${name}`,
    alarmDescription: `${description}; what to do: docs/alarms.md, ${name}`,
    ...what,
    ...(statistic.startsWith("p") ? { extendedStatistic: statistic } : { statistic }),
    period: periodSeconds,
    evaluationPeriods: periods,
    comparisonOperator: "GreaterThanOrEqualToThreshold",
    threshold,
    // A count of zero is not reported.
    treatMissingData: "notBreaching",
    alarmActions: [topic.arn],
    okActions: [topic.arn],
  });
}

const endpointNames = endpoints.map(({ name }) => name);
const { byEndpoint, failures, errors, refusals, tally } = metricNames;
const { calls, latency } = byEndpoint;

/** The dashboard's charts, two in a row: first the symptoms, then the causes. */
function widgetsOf(apis: Record<Host, HttpApi>, table: sst.aws.Dynamo) {
  const charts: [title: string, metrics: Metric[]][] = [
    ["Calls", endpointNames.map((name) => ownMetric(calls, "Sum", name))],
    [
      "Errors by status, failures of the service",
      [...Object.values(errors), failures].map((name) => ownMetric(name, "Sum")),
    ],
    ["Latency by endpoint, p50, ms", endpointNames.map((name) => ownMetric(latency, "p50", name))],
    ["Latency by endpoint, p99, ms", endpointNames.map((name) => ownMetric(latency, "p99", name))],
    ["5xx of the hosts", Object.values(apis).map((api) => apiMetric(api, "5xx", "Sum"))],
    ["Latency of the hosts, p99, ms", Object.values(apis).map((api) => apiMetric(api, "Latency", "p99"))],
    ["Refusals by cause", Object.values(refusals).map((name) => ownMetric(name, "Sum"))],
    [
      "Text outcomes",
      [tally.textHits, tally.textMisses, tally.textsEmpty, tally.textsFailed].map((name) => ownMetric(name, "Sum")),
    ],
    [
      "Work: database, conflicts, passwords",
      [tally.databaseCalls, tally.conflictsRetried, tally.countsDrifted, tally.passwordsVerified].map((name) =>
        ownMetric(name, "Sum"),
      ),
    ],
    [
      "Throttles of table and functions",
      [
        tableThrottles(table, "Read"),
        tableThrottles(table, "Write"),
        ...Object.values(apis).flatMap(({ functions }) => Object.values(functions).map(functionThrottles)),
      ],
    ],
  ];
  const [width, height] = [12, 6];
  return charts.map(([title, metrics], index) => ({
    type: "metric",
    x: (index % 2) * width,
    y: Math.floor(index / 2) * height,
    width,
    height,
    properties: {
      title,
      view: "timeSeries",
      region: aws.getRegionOutput().region,
      period: periodSeconds,
      metrics: metrics.map(({ namespace, metricName, dimensions, statistic }) => [
        namespace,
        metricName,
        ...Object.entries(dimensions).flat(),
        { stat: statistic },
      ]),
    },
  }));
}
