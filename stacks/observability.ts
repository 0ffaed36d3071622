import { apis } from "@reading-list/core/contract/apis.ts";
import { endpoints } from "@reading-list/core/contract/endpoints.ts";
import { metricNames, serviceName } from "@reading-list/functions/watch/metric-names.ts";
import { type DeployedFunction, metricNamespace } from "./functions.ts";
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
  /** Metrics by the names that `expression` uses. */
  metrics: Record<string, Metric>;
  /** CloudWatch's metric math; the only metric if undefined. */
  expression?: string;
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

const functionMetric = ({ function: { name } }: DeployedFunction, metricName: string): Metric => ({
  namespace: "AWS/Lambda",
  metricName,
  dimensions: { FunctionName: name },
  statistic: "Sum",
});

/** A metric over all functions of the account. */
const accountMetric = (metricName: string, statistic: string): Metric => ({
  namespace: "AWS/Lambda",
  metricName,
  dimensions: {},
  statistic,
});

/** Executions at the same time. */
const concurrency = accountMetric("ConcurrentExecutions", "Maximum");

const tableMetric = ({ name }: sst.aws.Dynamo, metricName: string): Metric => ({
  namespace: "AWS/DynamoDB",
  metricName,
  dimensions: { TableName: name },
  statistic: "Sum",
});

/** Calls that API Gateway refused with 429, for which it has no metric; counted in the log of a host. */
const tooManyRequests = (host: Host): Metric => ({
  namespace: metricNamespace(),
  metricName: `TooManyRequests-${host}`,
  dimensions: {},
  statistic: "Sum",
});

/** The name of a host in alarms, and its limit for the latency of the slowest tenth of its calls, in milliseconds. */
const hosts = {
  main: { title: "MainApi", slow: 2000 },
  // `text` waits up to 10 s for other servers.
  text: { title: "TextApi", slow: 12_000 },
} satisfies Record<Host, object>;

/** Calls in five minutes below which no share of them rings: one failed call of three is not a third. */
const fewCalls = 20;

/** The percentage of calls that `part` counts; 0 if there are few calls. */
const shareOf = (part: string) => `IF(calls < ${fewCalls}, 0, 100 * FILL(${part}, 0) / calls)`;

/** Alarms and a dashboard for a stage; the alarms go to the e-mail address in its settings. */
export function createObservability(
  apis: Record<Host, HttpApi>,
  deletions: DeployedFunction,
  table: sst.aws.Dynamo,
  settings: StageSettings,
): void {
  const topic = new aws.sns.Topic("Alarms");
  if (settings.alarmEmail !== undefined) {
    new aws.sns.TopicSubscription("AlarmEmail", {
      topic: topic.arn,
      protocol: "email",
      endpoint: settings.alarmEmail,
    });
  }
  for (const host of hostNames) createThrottleFilter(host, apis[host]);
  for (const [name, alarm] of Object.entries(alarmsOf(apis, deletions, table, settings)))
    createAlarm(name, alarm, topic);
  if (settings.monthlyBudget !== undefined) createBudget(settings.monthlyBudget, settings.alarmEmail);
  new aws.cloudwatch.Dashboard("Dashboard", {
    dashboardName: `${$app.name}-${$app.stage}`,
    dashboardBody: $jsonStringify({ widgets: widgetsOf(apis, table) }),
  });
}

const hostNames = ["main", "text"] as const;

function createThrottleFilter(host: Host, { api, accessLog }: HttpApi): void {
  const { namespace, metricName } = tooManyRequests(host);
  new aws.cloudwatch.LogMetricFilter(
    `TooManyRequests-${host}`,
    {
      logGroupName: accessLog,
      pattern: '{ $.status = "429" }',
      metricTransformation: { namespace, name: metricName, value: "1" },
    },
    { dependsOn: api },
  );
}

/** A budget for the resources with the tags of the stage; the address is told at 80 %, and when 100 % is forecast. */
function createBudget(dollars: number, email: string | undefined): void {
  const notice = (threshold: number, notificationType: "ACTUAL" | "FORECASTED") => ({
    comparisonOperator: "GREATER_THAN",
    thresholdType: "PERCENTAGE",
    threshold,
    notificationType,
    subscriberEmailAddresses: email === undefined ? [] : [email],
  });
  new aws.budgets.Budget("Budget", {
    name: `${$app.name}-${$app.stage}`,
    budgetType: "COST",
    limitAmount: String(dollars),
    limitUnit: "USD",
    timeUnit: "MONTHLY",
    costFilters: [{ name: "TagKeyValue", values: [`user:stage$${$app.stage}`] }],
    notifications: email === undefined ? [] : [notice(80, "ACTUAL"), notice(100, "FORECASTED")],
  });
}

function alarmsOf(
  apis: Record<Host, HttpApi>,
  deletions: DeployedFunction,
  table: sst.aws.Dynamo,
  { tableUnits, accountConcurrency }: StageSettings,
): Record<string, Alarm> {
  const [main, text] = hostNames.map((host) => apiMetric(apis[host], "Count", "Sum")) as [Metric, Metric];
  /** The percentage of all calls that one of our own metrics counts. */
  const ownShare = (metricName: string, threshold: number, description: string): Alarm => ({
    metrics: { part: ownMetric(metricName, "Sum"), main, text },
    expression: shareOf("part").replaceAll("calls", "(FILL(main, 0) + FILL(text, 0))"),
    threshold,
    periods: 1,
    description,
  });
  const alarms: Record<string, Alarm> = {
    Failures: ownShare(metricNames.failures, 2, "The service failed 2 % of its calls with 503"),
    Refusals: ownShare(metricNames.errors[403], 20, "A fifth of all calls was refused with 403"),
    TooManyRequests: {
      metrics: { main: tooManyRequests("main"), text: tooManyRequests("text") },
      expression: "FILL(main, 0) + FILL(text, 0)",
      threshold: 100,
      periods: 1,
      description: "API Gateway refused 100 calls with 429",
    },
    Throttles: {
      // Of the account: one alarm takes 10 metrics at most, and there are more functions.
      metrics: { throttles: accountMetric("Throttles", "Sum") },
      threshold: 50,
      periods: 1,
      description: "Lambda refused 50 calls",
    },
    Deletions: {
      metrics: { errors: functionMetric(deletions, "Errors") },
      threshold: 1,
      periods: 3,
      description: "The deletion of an account fails again and again",
    },
    AccountConcurrency: {
      metrics: { concurrency },
      threshold: 0.8 * accountConcurrency,
      periods: 1,
      description: "The account uses 80 % of its concurrency",
    },
  };
  for (const kind of ["Read", "Write"] as const) {
    alarms[`Table${kind}Throttles`] = {
      metrics: { throttles: tableMetric(table, `${kind}ThrottleEvents`) },
      threshold: 10,
      periods: 1,
      description: `DynamoDB throttled ${kind.toLowerCase()}s`,
    };
    alarms[`Table${kind}Units`] = {
      metrics: { units: tableMetric(table, `Consumed${kind}CapacityUnits`) },
      threshold: 0.8 * periodSeconds * tableUnits[kind === "Read" ? "read" : "write"],
      periods: 1,
      description: `The table uses 80 % of its maximum of ${kind.toLowerCase()} units`,
    };
  }
  for (const host of hostNames) {
    const { title, slow } = hosts[host];
    const calls = apiMetric(apis[host], "Count", "Sum");
    alarms[`${title}Errors`] = {
      metrics: { errors: apiMetric(apis[host], "5xx", "Sum"), calls },
      expression: shareOf("errors"),
      threshold: 2,
      periods: 1,
      description: `The ${host} host answered 2 % of its calls with 5xx`,
    };
    alarms[`${title}Latency`] = {
      metrics: { latency: apiMetric(apis[host], "Latency", "p90"), calls },
      expression: `IF(calls < ${fewCalls}, 0, latency)`,
      threshold: slow,
      periods: 3,
      description: `One in ten calls of the ${host} host is slow`,
    };
  }
  return alarms;
}

function createAlarm(name: string, alarm: Alarm, topic: aws.sns.Topic): void {
  const { metrics, expression, threshold, periods, description } = alarm;
  const queries = Object.entries(metrics).map(([id, { statistic, ...metric }]) => ({
    id,
    returnData: expression === undefined,
    metric: { ...metric, stat: statistic, period: periodSeconds },
  }));
  new aws.cloudwatch.MetricAlarm(`${name}Alarm`, {
    name: `${$app.name}-${$app.stage}-${name}`,
    alarmDescription: `${description}; what to do: docs/alarms.md, ${name}`,
    metricQueries: [
      ...queries,
      ...(expression === undefined ? [] : [{ id: "result", expression, label: name, returnData: true }]),
    ],
    evaluationPeriods: periods,
    comparisonOperator: "GreaterThanOrEqualToThreshold",
    threshold,
    // A count of zero is not reported.
    treatMissingData: "notBreaching",
    alarmActions: [topic.arn],
    okActions: [topic.arn],
  });
}

const endpointNames = [...endpoints, ...apis].map(({ name }) => name);
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
      [tally.databaseCalls, tally.conflictsRetried, tally.passwordsVerified].map((name) => ownMetric(name, "Sum")),
    ],
    [
      "Units of the table",
      ["ConsumedReadCapacityUnits", "ConsumedWriteCapacityUnits"].map((name) => tableMetric(table, name)),
    ],
    ["Executions at once in the account", [concurrency]],
    [
      "Throttles: 429, table, functions",
      [
        ...hostNames.map(tooManyRequests),
        tableMetric(table, "ReadThrottleEvents"),
        tableMetric(table, "WriteThrottleEvents"),
        ...Object.values(apis).flatMap(({ functions }) =>
          Object.values(functions).map((each) => functionMetric(each, "Throttles")),
        ),
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
