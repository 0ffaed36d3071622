import { endpoints } from "@reading-list/core/contract/endpoints.ts";
import { metricNames, serviceName } from "@reading-list/functions/watch/metric-names.ts";
import { metricNamespace } from "./functions.ts";
import type { HttpApi } from "./http-api.ts";
import type { Host, StageSettings } from "./settings.ts";

/** A metric in CloudWatch, and what is asked of it. */
interface Metric {
  namespace: string;
  metricName: string;
  dimensions: Record<string, $util.Input<string>>;
  /** For example `Sum` or `p99`. */
  statistic: string;
}

/** When to ring; what it means and what to do is in `docs/alarms.md`. */
interface Alarm {
  metric: Metric;
  /** Rings from this value on. */
  threshold: number;
  /** Spans of five minutes in a row of which each must be as bad. */
  periods: number;
  description: string;
}

const periodSeconds = 300;

/** A metric that the functions emit: of one endpoint, or of all together. */
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

/** What alarms call a host, and the milliseconds that one in a hundred of its calls may take. */
const hosts = {
  main: { title: "MainApi", slow: 2000 },
  // Waits for other people's servers, ten seconds at most.
  text: { title: "TextApi", slow: 12_000 },
} satisfies Record<Host, object>;

/** Alarms and a dashboard for a stage; the alarms are sent to the e-mail address of its settings. */
export function createObservability(apis: Record<Host, HttpApi>, table: sst.aws.Dynamo, settings: StageSettings): void {
  const topic = new aws.sns.Topic("Alarms");
  if (settings.alarmEmail !== undefined) {
    new aws.sns.TopicSubscription("AlarmEmail", {
      topic: topic.arn,
      protocol: "email",
      endpoint: settings.alarmEmail,
    });
  }
  for (const [name, alarm] of Object.entries(alarmsOf(apis, table))) createAlarm(name, alarm, topic);
  new aws.cloudwatch.Dashboard("Dashboard", {
    dashboardName: `${$app.name}-${$app.stage}`,
    dashboardBody: $jsonStringify({ widgets: widgetsOf(apis, table) }),
  });
}

function alarmsOf(apis: Record<Host, HttpApi>, table: sst.aws.Dynamo): Record<string, Alarm> {
  const alarms: Record<string, Alarm> = {
    Failures: {
      metric: ownMetric(metricNames.failures, "Sum"),
      threshold: 5,
      periods: 1,
      description: "Calls were answered with a 503 of ours",
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
      description: "DynamoDB turned reads away",
    },
    TableWriteThrottles: {
      metric: tableThrottles(table, "Write"),
      threshold: 10,
      periods: 1,
      description: "DynamoDB turned writes away",
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
      metric: apiMetric(apis[host], "Latency", "p99"),
      threshold: slow,
      periods: 3,
      description: `One in a hundred calls of the ${host} host is slow`,
    };
    for (const [name, each] of Object.entries(apis[host].functions)) {
      alarms[`${name.charAt(0).toUpperCase()}${name.slice(1)}Throttles`] = {
        metric: functionThrottles(each),
        threshold: 1,
        periods: 1,
        description: `Lambda turned calls of ${name} away`,
      };
    }
  }
  return alarms;
}

function createAlarm(name: string, { metric, threshold, periods, description }: Alarm, topic: aws.sns.Topic): void {
  const { statistic, ...what } = metric;
  const isPercentile = statistic.startsWith("p");
  new aws.cloudwatch.MetricAlarm(`${name}Alarm`, {
    name: `${$app.name}-${$app.stage}-${name}`,
    alarmDescription: `${description}; what to do: docs/alarms.md, ${name}`,
    ...what,
    // A percentile of a handful of calls is just the slowest of them.
    ...(isPercentile ? { extendedStatistic: statistic, evaluateLowSampleCountPercentiles: "ignore" } : { statistic }),
    period: periodSeconds,
    evaluationPeriods: periods,
    comparisonOperator: "GreaterThanOrEqualToThreshold",
    threshold,
    // What does not happen is not reported.
    treatMissingData: "notBreaching",
    alarmActions: [topic.arn],
    okActions: [topic.arn],
  });
}

const endpointNames = endpoints.map(({ name }) => name);
const { calls, latency, failures, errors, refusals, tally } = metricNames;

/** The dashboard's charts, two in a row, from what users feel down to what causes it. */
function widgetsOf(apis: Record<Host, HttpApi>, table: sst.aws.Dynamo) {
  const charts: [title: string, metrics: Metric[]][] = [
    ["Calls", endpointNames.map((name) => ownMetric(calls, "Sum", name))],
    ["Errors by status, failures of ours", [...Object.values(errors), failures].map((name) => ownMetric(name, "Sum"))],
    ["Half of the calls take at most, ms", endpointNames.map((name) => ownMetric(latency, "p50", name))],
    ["99 of 100 calls take at most, ms", endpointNames.map((name) => ownMetric(latency, "p99", name))],
    ["5xx of the hosts", Object.values(apis).map((api) => apiMetric(api, "5xx", "Sum"))],
    ["Latency of the hosts, p99, ms", Object.values(apis).map((api) => apiMetric(api, "Latency", "p99"))],
    ["Refusals by cause", Object.values(refusals).map((name) => ownMetric(name, "Sum"))],
    [
      "Text outcomes",
      [tally.textHits, tally.textMisses, tally.textsEmpty, tally.textsFailed].map((name) => ownMetric(name, "Sum")),
    ],
    [
      "Work: database, conflicts, passwords",
      [tally.databaseCalls, tally.conflictsRetried, tally.passwordsVerified].map((name) => ownMetric(name, "Sum")),
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
