// SPDX-License-Identifier: MIT

import { apis, passkeySignIn, signOn } from "@reading-list/core/contract/apis.ts";
import type { EndpointContract } from "@reading-list/core/contract/endpoint.ts";
import { endpoints } from "@reading-list/core/contract/endpoints.ts";
import { picture, shared } from "@reading-list/core/contract/text-host.ts";
import { metricNames } from "@reading-list/http/watch/metric-names.ts";
import { randomFrom } from "@reading-list/testing/seeded-random.ts";
import type { DataOf, MetricStat } from "./alarm-simulation.ts";

/**
 * How a call ends.
 *
 * - `failure`: 503 by our code
 * - `crash`: the function ended or ran out of time
 * - `uninvoked`: API Gateway could not invoke the function
 * - `busy`, `maintenance`: 503 that does not count as a failure
 * - `read`, `unread`, `empty`: a page that was not cached, and could be read, or not, or has no text
 * - `wrongPassword`, `rightPassword`: 401 or well, after the password of another account was verified with argon2
 * - `401`: the same device again
 */
export type Outcome =
  | "failure"
  | "crash"
  | "uninvoked"
  | "busy"
  | "maintenance"
  | "read"
  | "unread"
  | "empty"
  | "wrongPassword"
  | "rightPassword"
  | "400"
  | "401"
  | "403";

/** The traffic of a stage, by the minute. */
export interface Traffic {
  minutes: number;
  /** Mean of all calls in a minute; at night a tenth of the double of it. */
  callsPerMinute: number;
  /** The shares of the calls of a function that end in these ways, instead of those of a healthy service. */
  outcomes?: (name: string, minute: number) => Partial<Record<Outcome, number>>;
  /** Milliseconds of the slowest tenth of the calls. */
  latency?: (minute: number) => number;
  /** Whether a run of a schedule ends well. */
  isRunGood?: (schedule: string, minute: number) => boolean;
  /** The pages that wait for the keeper, and the seconds for which the oldest waits. */
  backlog?: (minute: number) => { pages: number; seconds: number };
  /** Read units of the table in a minute, beyond those of the calls; the table throttles a part of them. */
  flood?: (minute: number) => number;
}

/** The functions that serve most of the calls; each of the others has 1 in 1,000. */
const shares: Record<string, number> = {
  get: 0.8,
  text: 0.05,
  add: 0.04,
  article: 0.03,
  stats: 0.02,
  auth: 0.02,
  readeck: 0.01,
  wallabag: 0.01,
};
const rareShare = 0.001;

const endpointOf = new Map(
  [...endpoints, ...apis, picture, shared, signOn, passkeySignIn].map((each) => [each.name as string, each]),
);
const hostOf = (name: string) =>
  /^(Main|Text)Api/.exec(name)?.[1]?.toLowerCase() ?? endpointOf.get(name)?.host ?? undefined;

const readsPages = (name: string) => endpoints.some((each: EndpointContract) => each.name === name && !each.list);

/** Minutes between two runs of each schedule. */
const schedules = { keeping: 1, deletions: 5, indexes: 60, probe: 5 };

/** Functions that count failures, but serve no endpoint. */
const callees = ["extraction", "imaging", "keeping", "probe"];

/** Shares of the calls of a healthy service. */
const healthy = (name: string): Partial<Record<Outcome, number>> => ({
  ...(endpointOf.has(name) && { "400": 0.02, "401": 0.01, "403": 0.02, wrongPassword: 0.005, rightPassword: 0.01 }),
  ...(hostOf(name) === "text" && readsPages(name) && { read: 0.5, unread: 0.1, empty: 0.03 }),
});

const { byEndpoint, bySchedule, byKeeper, busy, errors, refusals, tally } = metricNames;
const ownNames = [
  byEndpoint.failures,
  bySchedule.runs,
  ...Object.values(byKeeper),
  busy,
  ...Object.values(errors),
  ...Object.values(refusals),
  ...Object.values(tally),
];
// biome-ignore format: a line holds many short names
const awsNames = [
  "Count", "5xx", "Latency", "Invocations", "Errors", "Throttles", "ConcurrentExecutions",
  "ConsumedReadCapacityUnits", "ConsumedWriteCapacityUnits", "ReadThrottleEvents", "WriteThrottleEvents",
  "TooManyRequests-main", "TooManyRequests-text",
];
const known = new Set<string>([...ownNames, ...awsNames]);

/** The metrics of a stage with these functions and this traffic. Night and day change as a sine; the same seed repeats it. */
export function metricsOf(functions: string[], traffic: Traffic, seed = 1): DataOf {
  const random = randomFrom(seed);
  const { minutes, callsPerMinute, outcomes, latency = () => 60, flood = () => 0 } = traffic;
  const { isRunGood = () => true, backlog = () => ({ pages: 20, seconds: 60 }) } = traffic;
  const data = new Map<string, Float64Array>();
  const add = (metric: string, minute: number, value: number) => {
    const values = data.get(metric) ?? new Float64Array(minutes).fill(Number.NaN);
    data.set(metric, values);
    const before = values[minute] as number;
    values[minute] = (Number.isNaN(before) ? 0 : before) + value;
  };
  const set = (metric: string, minute: number, value: number) => {
    add(metric, minute, 0);
    (data.get(metric) as Float64Array)[minute] = value;
  };
  /** CloudWatch has no data while our own count is 0. */
  const count = (metric: string, minute: number, value: number) => value > 0 && add(metric, minute, value);

  const callFunction = (name: string, minute: number, calls: number) => {
    const given = outcomes?.(name, minute);
    // The given shares come first, so that a share of 1 leaves none for the others.
    const ends = endsOf(calls, { ...given, ...healthy(name), ...given }, random);
    const of = (...kinds: Outcome[]) => kinds.reduce((sum, kind) => sum + (ends.get(kind) ?? 0), 0);
    const host = hostOf(name);
    if (host && calls > 0) {
      add(`Count ${host}`, minute, calls);
      add(`5xx ${host}`, minute, of("failure", "crash", "uninvoked", "busy", "maintenance"));
      set(`Latency ${host}`, minute, latency(minute));
    }
    const invoked = calls - of("uninvoked");
    if (invoked > 0) {
      add(`Invocations ${name}`, minute, invoked);
      add(`Errors ${name}`, minute, of("crash"));
    }
    if (endpointOf.has(name) || callees.includes(name)) {
      count(`${byEndpoint.failures} ${name}`, minute, of("failure"));
    }
    if (!endpointOf.has(name)) return;
    count(busy, minute, of("busy"));
    count(errors[400], minute, of("400", "unread"));
    count(errors[401], minute, of("401", "wrongPassword"));
    count(errors[403], minute, of("403"));
    count(errors[503], minute, of("failure", "busy", "maintenance"));
    count(tally.textsFailed, minute, of("unread"));
    count(tally.textsEmpty, minute, of("empty"));
    count(tally.textMisses, minute, of("read"));
    count(tally.passwordsWrong, minute, of("wrongPassword"));
    count(tally.signInsFailing, minute, of("wrongPassword"));
    count(tally.passwordsVerified, minute, of("wrongPassword", "rightPassword"));
  };

  for (let minute = 0; minute < minutes; minute++) {
    const day = 1 - 0.9 * Math.cos((2 * Math.PI * minute) / 1440);
    for (const name of functions) {
      if (name === "deletions" || name === "canary") continue;
      if (name === "probe" && minute % schedules.probe !== 0) continue;
      // An outside monitor calls `/health` of both hosts every minute, and schedules the keeper and the synthetic user.
      const isRegular = name.endsWith("Health") || name === "keeping" || name === "probe";
      const mean = callsPerMinute * day * (shares[name] ?? rareShare);
      callFunction(name, minute, isRegular ? 1 : amount(mean, random));
    }
    for (const [schedule, minutesBetween] of Object.entries(schedules)) {
      if (minute % minutesBetween === 0 && isRunGood(schedule, minute))
        add(`${bySchedule.runs} ${schedule}`, minute, 1);
    }
    const { pages, seconds } = backlog(minute);
    set(`${byKeeper.pagesWaiting} keeping`, minute, pages);
    set(`${byKeeper.oldestPage} keeping`, minute, seconds);
    const calls = callsPerMinute * day;
    add("ConcurrentExecutions", minute, Math.ceil(calls / 600));
    add("ConsumedReadCapacityUnits", minute, calls + flood(minute));
    add("ConsumedWriteCapacityUnits", minute, calls / 2);
    count("ReadThrottleEvents", minute, flood(minute) / 100);
  }

  const none = new Float64Array(minutes).fill(Number.NaN);
  return ({ metricName, dimensions }: MetricStat) => {
    if (!known.has(metricName)) throw new Error(`nobody emits ${metricName}`);
    const { ApiId, FunctionName, endpoint } = dimensions;
    const part =
      (ApiId && (ApiId.startsWith("Main") ? "main" : "text")) ?? FunctionName?.replace(/^.*-/, "") ?? endpoint;
    if (FunctionName && !functions.includes(part ?? "")) throw new Error(`there is no function ${FunctionName}`);
    return data.get(part === undefined ? metricName : `${metricName} ${part}`) ?? none;
  };
}

/** The number of calls that end in each way. */
function endsOf(calls: number, shares: Partial<Record<Outcome, number>>, random: () => number): Map<Outcome, number> {
  const ends = new Map<Outcome, number>();
  let left = calls;
  let leftShare = 1;
  for (const [outcome, share] of Object.entries(shares) as [Outcome, number][]) {
    const probability = leftShare <= 0 ? 0 : Math.min(1, share / leftShare);
    const ended = probability === 1 ? left : Math.min(left, amount(left * probability, random));
    ends.set(outcome, ended);
    left -= ended;
    leftShare -= share;
  }
  return ends;
}

/** A Poisson-distributed number, by its normal approximation if the mean is large. */
function amount(mean: number, random: () => number): number {
  if (mean > 50) {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal));
  }
  const limit = Math.exp(-mean);
  let number = 0;
  for (let product = random(); product > limit; product *= random()) number++;
  return number;
}
