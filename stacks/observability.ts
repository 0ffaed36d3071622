// SPDX-License-Identifier: MIT

import { apis, passkeySignIn, signOn } from "@reading-list/core/contract/apis.ts";
import { endpoints } from "@reading-list/core/contract/endpoints.ts";
import { picture, shared } from "@reading-list/core/contract/text-host.ts";
import { innerFunctions, metricNames, serviceName } from "@reading-list/http/watch/metric-names.ts";
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

/** When the alarm starts; `docs/aws/alarms.md` explains what it means and what to do. */
interface Alarm {
  /** Metrics by the names that `expression` uses. */
  metrics: Record<string, Metric>;
  /** CloudWatch's metric math; the only metric if undefined. */
  expression?: string;
  /** Starts at this value and above; with `isMinimum` below it, and if there is no data. */
  threshold: number;
  isMinimum?: boolean;
  /** Minutes of a period. CloudWatch evaluates the latest periods every minute. Default: 5. */
  minutes?: number;
  /** Consecutive periods that must all reach the threshold. Default: 1. */
  periods?: number;
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

const createApiMetric = ({ api }: HttpApi, metricName: string, statistic: string): Metric => ({
  namespace: "AWS/ApiGateway",
  metricName,
  dimensions: { ApiId: api.nodes.api.id },
  statistic,
});

const createFunctionMetric = ({ function: { name } }: DeployedFunction, metricName: string): Metric => ({
  namespace: "AWS/Lambda",
  metricName,
  dimensions: { FunctionName: name },
  statistic: "Sum",
});

/** A metric over all functions of the account. */
const createAccountMetric = (metricName: string, statistic: string): Metric => ({
  namespace: "AWS/Lambda",
  metricName,
  dimensions: {},
  statistic,
});

/** Executions at the same time. */
const concurrency = createAccountMetric("ConcurrentExecutions", "Maximum");

const createTableMetric = ({ name }: sst.aws.Dynamo, metricName: string): Metric => ({
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

/** The sum of counts. CloudWatch has no data for a count while it is 0. */
const sumOf = (...names: string[]) => `(${names.map((name) => `FILL(${name}, 0)`).join(" + ")})`;

/** The percentage `part` of `whole`; 0 while `guard`, an amount, is below `few`: one failed call of three is not a third. */
const shareOf = (part: string, whole: string, few: number, guard = whole) =>
  `IF(${guard} < ${few}, 0, 100 * ${part} / ${whole})`;

/** Alarms and a dashboard for a stage with these functions; the alarms go to the e-mail address in its settings. */
export function createObservability(
  apis: Record<Host, HttpApi>,
  functions: readonly DeployedFunction[],
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
  for (const [name, alarm] of Object.entries(createAlarms(apis, table, settings)))
    createAlarm(name, alarm, [topic.arn]);
  createFailuresAlarm(createFailureAlarms(functions), topic);
  if (settings.monthlyBudget !== undefined) createBudget(settings.monthlyBudget, settings.alarmEmail);
  new aws.cloudwatch.Dashboard("Dashboard", {
    dashboardName: `${$app.name}-${$app.stage}`,
    dashboardBody: $jsonStringify({ widgets: createWidgets(apis, table) }),
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

/** A budget for the resources with the tags of the stage. AWS mails the address at 80 %, and when it forecasts 100 %. */
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

/**
 * The alarms of each function: a few failures that are a noticeable share of its calls, and half of its calls, however few
 * they are. A failure is a call that our code answered with 503, or that ended the function.
 */
function createFailureAlarms(functions: readonly DeployedFunction[]): Record<string, Alarm> {
  const alarms: Record<string, Alarm> = {};
  for (const each of functions) {
    const { name } = each;
    const failureMetrics = {
      ...(countingFunctions.includes(name) && { failures: ownMetric(failures, "Sum", name) }),
      errors: createFunctionMetric(each, "Errors"),
    };
    const metrics = { ...failureMetrics, calls: createFunctionMetric(each, "Invocations") };
    const [failed, calls] = [sumOf(...Object.keys(failureMetrics)), "FILL(calls, 1)"];
    alarms[`Failures-${name}`] = {
      metrics,
      expression: shareOf(failed, calls, 5, failed),
      threshold: 0.5,
      minutes: 15,
      description: `${name} failed 5 times in 15 minutes, and 0.5 % of its calls`,
    };
    alarms[`HourlyFailures-${name}`] = {
      metrics,
      expression: `100 * ${failed} / ${calls}`,
      threshold: 50,
      minutes: 60,
      description: `${name} failed half of the calls of an hour`,
    };
  }
  return alarms;
}

/** One alarm for the failures of all functions: an outage of the database is one e-mail. */
function createFailuresAlarm(alarms: Record<string, Alarm>, topic: aws.sns.Topic): void {
  const names = Object.entries(alarms).map(([name, alarm]) => createAlarm(name, alarm, []).name);
  new aws.cloudwatch.CompositeAlarm("FailuresAlarm", {
    alarmName: `${$app.name}-${$app.stage}-Failures`,
    alarmDescription: "A function is failing. What to do: docs/aws/alarms.md, Failures",
    alarmRule: $resolve(names).apply((resolved) => resolved.map((name) => `ALARM("${name}")`).join(" OR ")),
    alarmActions: [topic.arn],
    okActions: [topic.arn],
  });
}

function createAlarms(
  apis: Record<Host, HttpApi>,
  table: sst.aws.Dynamo,
  { tableUnits, accountConcurrency, hasProbe }: StageSettings,
): Record<string, Alarm> {
  const [main, text] = hostNames.map((host) => createApiMetric(apis[host], "Count", "Sum")) as [Metric, Metric];
  const [main5xx, text5xx] = hostNames.map((host) => createApiMetric(apis[host], "5xx", "Sum")) as [Metric, Metric];
  const calls = sumOf("main", "text");
  const unanswered = `(${sumOf("main5xx", "text5xx")} - FILL(answered, 0))`;
  const [unread, read] = [sumOf("empty", "failed"), sumOf("empty", "failed", "misses")];
  const alarms: Record<string, Alarm> = {
    GatewayErrors: {
      // 503s of our own are failures, or maintenance, or full queues. Their metric may come a minute later.
      metrics: { main5xx, text5xx, answered: ownMetric(errors[503], "Sum"), main, text },
      expression: shareOf(unanswered, calls, 2, unanswered),
      threshold: 0.5,
      periods: 3,
      description: "0.5 % of calls got a 5xx from AWS, not from the service",
    },
    Refusals: {
      metrics: {
        invalid: ownMetric(errors[400], "Sum"),
        unauthorized: ownMetric(errors[401], "Sum"),
        refused: ownMetric(errors[403], "Sum"),
        main,
        text,
      },
      expression: shareOf(sumOf("invalid", "unauthorized", "refused"), calls, 20),
      threshold: 30,
      minutes: 15,
      description: "30 % of calls got 400, 401 or 403",
    },
    FailedSignIns: {
      metrics: {
        failing: ownMetric(tally.signInsFailing, "Sum"),
        unauthorized: ownMetric(errors[401], "Sum"),
        main,
        text,
      },
      expression: `IF(FILL(failing, 0) < 10, 0, ${shareOf("FILL(unauthorized, 0)", calls, 20)})`,
      threshold: 8,
      minutes: 15,
      description: "8 % of all calls got 401, and ten accounts could not sign in",
    },
    WrongPasswords: {
      metrics: { wrong: ownMetric(tally.passwordsWrong, "Sum"), verified: ownMetric(tally.passwordsVerified, "Sum") },
      expression: shareOf("FILL(wrong, 0)", "FILL(verified, 0)", 50),
      threshold: 90,
      minutes: 60,
      description: "Nine of ten passwords checked in an hour were wrong",
    },
    Pages: {
      metrics: {
        empty: ownMetric(tally.textsEmpty, "Sum"),
        failed: ownMetric(tally.textsFailed, "Sum"),
        misses: ownMetric(tally.textMisses, "Sum"),
      },
      expression: shareOf(unread, read, 20),
      threshold: 80,
      minutes: 60,
      description: "Four of five pages read in an hour had no text",
    },
    TooManyRequests: {
      metrics: { main: tooManyRequests("main"), text: tooManyRequests("text") },
      expression: sumOf("main", "text"),
      threshold: 100,
      description: "API Gateway refused 100 calls with 429",
    },
    Throttles: {
      // The account's metric: one alarm takes 10 metrics at most, and there are more functions.
      metrics: { throttles: createAccountMetric("Throttles", "Sum") },
      threshold: 50,
      description: "Lambda refused 50 calls",
    },
    PagesWaiting: {
      metrics: { waiting: ownMetric(byKeeper.pagesWaiting, "Maximum", "keeping") },
      threshold: 10_000,
      minutes: 15,
      description: "10,000 saved pages wait to be read in the background",
    },
    OldestPage: {
      metrics: { seconds: ownMetric(byKeeper.oldestPage, "Maximum", "keeping") },
      threshold: 4 * 3600,
      minutes: 15,
      description: "A saved page has waited 4 hours to be read in the background",
    },
    AccountConcurrency: {
      metrics: { concurrency },
      threshold: 0.8 * accountConcurrency,
      description: "The account uses 80 % of its concurrency",
    },
  };
  for (const [schedule, { alarm, minutes }] of heartbeatsOf(hasProbe)) {
    alarms[alarm] = {
      metrics: { runs: ownMetric(bySchedule.runs, "Sum", schedule) },
      expression: "FILL(runs, 0)",
      threshold: 1,
      isMinimum: true,
      minutes,
      description: `The last good run of the schedule of ${schedule} was more than ${minutes} minutes ago`,
    };
  }
  for (const kind of ["Read", "Write"] as const) {
    alarms[`Table${kind}Throttles`] = {
      metrics: { throttles: createTableMetric(table, `${kind}ThrottleEvents`) },
      threshold: 10,
      description: `DynamoDB throttled ${kind.toLowerCase()}s`,
    };
    alarms[`Table${kind}Units`] = {
      metrics: { units: createTableMetric(table, `Consumed${kind}CapacityUnits`) },
      threshold: 0.8 * periodSeconds * tableUnits[kind === "Read" ? "read" : "write"],
      description: `The table uses 80 % of its maximum of ${kind.toLowerCase()} units`,
    };
  }
  for (const host of hostNames) {
    const { title, slow } = hosts[host];
    alarms[`${title}Latency`] = {
      metrics: {
        latency: createApiMetric(apis[host], "Latency", "p90"),
        calls: createApiMetric(apis[host], "Count", "Sum"),
      },
      expression: "IF(calls < 20, 0, latency)",
      threshold: slow,
      periods: 3,
      description: `One in ten calls of the ${host} host is slow`,
    };
  }
  return alarms;
}

function createAlarm(name: string, alarm: Alarm, actions: $util.Input<string>[]): aws.cloudwatch.MetricAlarm {
  const { metrics, expression, threshold, isMinimum = false, minutes = 5, periods = 1, description } = alarm;
  const queries = Object.entries(metrics).map(([id, { statistic, ...metric }]) => ({
    id,
    returnData: expression === undefined,
    metric: { ...metric, stat: statistic, period: 60 * minutes },
  }));
  return new aws.cloudwatch.MetricAlarm(`${name}Alarm`, {
    name: `${$app.name}-${$app.stage}-${name}`,
    alarmDescription: `${description}. What to do: docs/aws/alarms.md, ${name}`,
    metricQueries: [
      ...queries,
      ...(expression === undefined ? [] : [{ id: "result", expression, label: name, returnData: true }]),
    ],
    evaluationPeriods: periods,
    comparisonOperator: isMinimum ? "LessThanThreshold" : "GreaterThanOrEqualToThreshold",
    threshold,
    // A count of zero is not reported.
    treatMissingData: isMinimum ? "breaching" : "notBreaching",
    alarmActions: actions,
    okActions: actions,
  });
}

const endpointNames: string[] = [...endpoints, ...apis, picture, shared, signOn, passkeySignIn].map(({ name }) => name);
/** Functions that count the failures of their own code. */
const countingFunctions = [...endpointNames, ...innerFunctions];
/** The schedules of a stage: each counts its good runs, and is missed after some minutes. */
const heartbeats = {
  keeping: { alarm: "Keeping", minutes: 15 },
  deletions: { alarm: "Deletions", minutes: 15 },
  indexes: { alarm: "Indexes", minutes: 180 },
  probe: { alarm: "Probe", minutes: 15 },
};
const heartbeatsOf = (hasProbe: boolean) => Object.entries(heartbeats).filter(([name]) => hasProbe || name !== "probe");
const { byEndpoint, bySchedule, byKeeper, busy, errors, refusals, tally } = metricNames;
const { calls, latency, failures } = byEndpoint;

/** The dashboard's charts, two in a row: first the symptoms, then the causes. */
function createWidgets(apis: Record<Host, HttpApi>, table: sst.aws.Dynamo) {
  const charts: [title: string, metrics: Metric[]][] = [
    ["Calls", endpointNames.map((name) => ownMetric(calls, "Sum", name))],
    ["Failures by function", countingFunctions.map((name) => ownMetric(failures, "Sum", name))],
    ["Errors by status, full queues", [...Object.values(errors), busy].map((name) => ownMetric(name, "Sum"))],
    ["Latency by endpoint, p50, ms", endpointNames.map((name) => ownMetric(latency, "p50", name))],
    ["Latency by endpoint, p99, ms", endpointNames.map((name) => ownMetric(latency, "p99", name))],
    ["5xx of the hosts", Object.values(apis).map((api) => createApiMetric(api, "5xx", "Sum"))],
    ["Latency of the hosts, p99, ms", Object.values(apis).map((api) => createApiMetric(api, "Latency", "p99"))],
    ["Refusals by cause", Object.values(refusals).map((name) => ownMetric(name, "Sum"))],
    [
      "Text outcomes",
      [tally.textHits, tally.textMisses, tally.textsEmpty, tally.textsFailed].map((name) => ownMetric(name, "Sum")),
    ],
    [
      "Database calls, conflicts, password checks",
      [
        tally.databaseCalls,
        tally.conflictsRetried,
        tally.passwordsVerified,
        tally.passwordsWrong,
        tally.signInsFailing,
      ].map((name) => ownMetric(name, "Sum")),
    ],
    [
      "Saving copies: pages waiting, age of the oldest in seconds",
      [byKeeper.pagesWaiting, byKeeper.oldestPage].map((name) => ownMetric(name, "Maximum", "keeping")),
    ],
    ["Successful runs of schedules", Object.keys(heartbeats).map((name) => ownMetric(bySchedule.runs, "Sum", name))],
    [
      "Table capacity units",
      ["ConsumedReadCapacityUnits", "ConsumedWriteCapacityUnits"].map((name) => createTableMetric(table, name)),
    ],
    ["Concurrent executions in the account", [concurrency]],
    [
      "Throttles: 429, table, functions",
      [
        ...hostNames.map(tooManyRequests),
        createTableMetric(table, "ReadThrottleEvents"),
        createTableMetric(table, "WriteThrottleEvents"),
        ...Object.values(apis).flatMap(({ functions }) =>
          Object.values(functions).map((each) => createFunctionMetric(each, "Throttles")),
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
