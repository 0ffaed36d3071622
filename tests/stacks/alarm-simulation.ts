// SPDX-License-Identifier: MIT

/** A metric as an alarm of a stage names it. */
export interface MetricStat {
  namespace: string;
  metricName: string;
  dimensions: Record<string, string>;
  stat: string;
  /** Seconds. */
  period: number;
}

/** The inputs of a metric alarm of an evaluated stage. */
export interface AlarmInputs {
  name: string;
  threshold: number;
  comparisonOperator: string;
  treatMissingData: string;
  evaluationPeriods: number;
  datapointsToAlarm?: number;
  metricQueries: { id: string; expression?: string; returnData: boolean; metric?: MetricStat }[];
  alarmActions: string[];
}

/** The inputs of a composite alarm. */
export interface CompositeInputs {
  alarmName: string;
  alarmRule: string;
  alarmActions: string[];
}

/** The data of a metric, a value for each minute; NaN where CloudWatch has none. Throws for a metric that nobody emits. */
export type DataOf = (metric: MetricStat) => Float64Array;

/**
 * CloudWatch's functions of metric math that the alarms use; another one fails as an unknown name. NaN means no data.
 */
const functions = {
  IF: (condition: boolean, yes: number, no: number) => (condition ? yes : no),
  FILL: (value: number, missing: number) => (Number.isNaN(value) ? missing : value),
};

/** An alarm's metric math as a function of the values of its metrics, in their order; NaN if there is no data. */
function compile({ name, metricQueries }: AlarmInputs): { metrics: MetricStat[]; value: (values: number[]) => number } {
  const queries = metricQueries.flatMap(({ id, metric }) => (metric ? [{ id, metric }] : []));
  const results = metricQueries.filter(({ returnData }) => returnData);
  if (results.length !== 1) throw new Error(`${name} has ${results.length} results`);
  const body = `return ${results[0]?.expression ?? results[0]?.id}`;
  const calculate = new Function(...Object.keys(functions), ...queries.map(({ id }) => id), body);
  return {
    metrics: queries.map(({ metric }) => metric),
    value: (values) => {
      const value: number = calculate(...Object.values(functions), ...values);
      return Number.isFinite(value) ? value : Number.NaN;
    },
  };
}

function isBreaching({ name, comparisonOperator, threshold, treatMissingData }: AlarmInputs, value: number): boolean {
  if (Number.isNaN(value)) {
    if (treatMissingData === "breaching") return true;
    if (treatMissingData === "notBreaching") return false;
  }
  if (comparisonOperator === "GreaterThanOrEqualToThreshold") return value >= threshold;
  if (comparisonOperator === "LessThanThreshold") return value < threshold;
  throw new Error(`${name}: the simulation does not know ${comparisonOperator}, or ${treatMissingData}`);
}

/** Whether an alarm rings if its metrics have these values in every period. */
export function isBreachingAt(alarm: AlarmInputs, statOf: (metric: MetricStat) => number): boolean {
  const { metrics, value } = compile(alarm);
  return isBreaching(alarm, value(metrics.map(statOf)));
}

/** The statistic of the minutes from `start` up to `end`. */
type Statistic = (start: number, end: number) => number;

function statisticOf(data: Float64Array, stat: string): Statistic {
  if (stat === "Sum") {
    const sums = [0];
    const counts = [0];
    for (const [minute, value] of data.entries()) {
      sums.push((sums[minute] as number) + (Number.isNaN(value) ? 0 : value));
      counts.push((counts[minute] as number) + (Number.isNaN(value) ? 0 : 1));
    }
    const between = (totals: number[], start: number, end: number) =>
      (totals[end] as number) - (totals[start] as number);
    return (start, end) => (between(counts, start, end) === 0 ? Number.NaN : between(sums, start, end));
  }
  // The percentile of the percentiles of the minutes, which is exact if they are alike.
  const share = stat === "Maximum" ? 1 : Number(/^p(\d+)$/.exec(stat)?.[1]) / 100;
  if (Number.isNaN(share)) throw new Error(`the simulation does not know the statistic ${stat}`);
  return (start, end) => {
    const values = data.subarray(start, end).filter((value) => !Number.isNaN(value));
    return values.sort()[Math.ceil(share * values.length) - 1] ?? Number.NaN;
  };
}

/**
 * The minutes in which each alarm that notifies someone starts, by its name. Every minute CloudWatch evaluates the last
 * periods of an alarm, which end at that minute; metrics that come from the log are a minute late. An alarm rings if
 * enough of its periods breach.
 */
export function simulateAlarms(
  { alarms, composites }: { alarms: AlarmInputs[]; composites: CompositeInputs[] },
  dataOf: DataOf,
  minutes: number,
): Map<string, number[]> {
  const ringing = new Map<string, Uint8Array>();
  for (const alarm of alarms) ringing.set(alarm.name, ringingMinutes(alarm, dataOf, minutes));
  for (const { alarmName, alarmRule } of composites) {
    const names = [...alarmRule.matchAll(/ALARM\("([^"]+)"\)/g)].map(([, name]) => name as string);
    const states = names.map((name) => ringing.get(name));
    if (states.includes(undefined)) throw new Error(`${alarmName} names an alarm that does not exist`);
    if (alarmRule !== names.map((name) => `ALARM("${name}")`).join(" OR ")) throw new Error(`not a rule: ${alarmRule}`);
    ringing.set(
      alarmName,
      Uint8Array.from({ length: minutes }, (_, minute) => Number(states.some((state) => state?.[minute]))),
    );
  }
  const telling = [...alarms.map(({ name, alarmActions }) => ({ name, alarmActions })), ...composites].filter(
    ({ alarmActions }) => alarmActions.length > 0,
  );
  return new Map(
    telling.map((alarm) => {
      const name = "name" in alarm ? alarm.name : alarm.alarmName;
      const states = ringing.get(name) ?? new Uint8Array();
      const begins = [...states.keys()].filter((minute) => states[minute] && !states[minute - 1]);
      return [name, begins] as const;
    }),
  );
}

function ringingMinutes(alarm: AlarmInputs, dataOf: DataOf, minutes: number): Uint8Array {
  const { metrics, value } = compile(alarm);
  const statistics = metrics.map((metric) => ({
    at: statisticOf(dataOf(metric), metric.stat),
    delay: metric.namespace.startsWith("AWS/") ? 0 : 1,
  }));
  const period = (metrics[0]?.period ?? 0) / 60;
  if (metrics.some((metric) => metric.period !== 60 * period)) throw new Error(`${alarm.name}: periods differ`);
  const { evaluationPeriods, datapointsToAlarm = evaluationPeriods } = alarm;
  const ringing = new Uint8Array(minutes);
  for (let now = evaluationPeriods * period; now < minutes; now++) {
    let breaching = 0;
    for (let end = now; end > now - evaluationPeriods * period; end -= period) {
      const values = statistics.map(({ at, delay }) => at(end - period, Math.min(end, now - delay)));
      breaching += Number(isBreaching(alarm, value(values)));
    }
    ringing[now] = Number(breaching >= datapointsToAlarm);
  }
  return ringing;
}
