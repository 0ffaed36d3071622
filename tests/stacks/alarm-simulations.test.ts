// SPDX-License-Identifier: MIT

import { apis } from "@reading-list/core/contract/apis.ts";
import { endpoints } from "@reading-list/core/contract/endpoints.ts";
import { beforeAll, describe, expect, test } from "vitest";
import { simulateAlarms } from "./alarm-simulation.ts";
import { type Evaluation, evaluateStacks } from "./evaluate.ts";
import {
  alarmsOf,
  callNames,
  compositesOf,
  everything,
  failingNames,
  functionNamesOf,
  shortName,
} from "./stage-alarms.ts";
import { metricsOf, type Outcome, type Traffic } from "./stage-traffic.ts";

let evaluation: Evaluation;

beforeAll(async () => {
  evaluation = await evaluateStacks("production", everything);
});

/** The alarms that ring in a stage with this traffic, and the minute in which each first did. */
function simulate(traffic: Traffic): Record<string, number> {
  const begins = simulateAlarms(
    { alarms: alarmsOf(evaluation), composites: compositesOf(evaluation) },
    metricsOf(functionNamesOf(evaluation), traffic),
    traffic.minutes,
  );
  return Object.fromEntries(
    [...begins].flatMap(([name, [first]]) => (first === undefined ? [] : [[shortName(name), first]])),
  );
}

const weekMinutes = 7 * 1440;
/** Calls a minute of a large stage, and of one that has 16 in five minutes. */
const [many, few] = [2000, 3.2];

describe("in a simulated week no alarm starts", () => {
  const hourOf = (minute: number) => Math.floor(minute / 60) % 24;
  const weeks: [what: string, Omit<Traffic, "minutes">][] = [
    [
      "of a small stage whose get fails once a day",
      {
        callsPerMinute: few,
        outcomes: (name, minute) => (name === "get" && minute % 1440 === 700 ? { failure: 0.2 } : {}),
      },
    ],
    ["of a stage with 18 calls an hour", { callsPerMinute: 0.3 }],
    [
      "of a large stage where one call in 10,000 fails, and the queues are full in the evening",
      {
        callsPerMinute: many,
        outcomes: (name, minute) => ({
          failure: 0.0001,
          busy: hourOf(minute) === 19 ? (name === "text" ? 0.3 : 0.03) : 0,
        }),
      },
    ],
    [
      "of a small stage with phones whose app password was revoked",
      { callsPerMinute: few, outcomes: (name) => (callNames.includes(name) ? { "401": 0.1 } : {}) },
    ],
    [
      "of a large stage whose keeper reads 500 pages of one slow site each day",
      {
        callsPerMinute: many,
        backlog: (minute) => ({ pages: 2000, seconds: minute % 1440 < 180 ? 60 * (minute % 1440) : 60 }),
      },
    ],
    [
      "of a large stage with an hour of maintenance",
      {
        callsPerMinute: many,
        outcomes: (name, minute) =>
          callNames.includes(name) && minute >= 3000 && minute < 3060 ? { maintenance: 1 } : {},
      },
    ],
  ];
  test.each(weeks)("%s", (_, traffic) => {
    expect(simulate({ minutes: weekMinutes, ...traffic })).toEqual({});
  });
});

describe("in a simulated outage an alarm starts", () => {
  /** At noon. */
  const since = 720;
  /** An outage in which calls of these functions end this way; by default, calls of all functions. */
  const outage = (
    callsPerMinute: number,
    outcomes: Partial<Record<Outcome, number>>,
    names: string[] = callNames,
  ): Omit<Traffic, "minutes"> => ({
    callsPerMinute,
    outcomes: (name, minute) => (minute >= since && names.includes(name) ? outcomes : {}),
  });
  const users = [...endpoints, ...apis].filter(({ caller }) => caller === "user").map(({ name }) => name);
  const slow = (minute: number) => (minute >= since ? 8000 : 60);
  /** The alarms that ring, and within how many minutes. */
  const outages: [what: string, Omit<Traffic, "minutes">, alarms: string[], within: number][] = [
    [
      "the database is down, 10,000 calls in 5 minutes",
      { ...outage(many, { failure: 1 }), latency: slow },
      ["Failures", "MainApiLatency"],
      2,
    ],
    ["the database is down, 16 calls in 5 minutes", outage(few, { failure: 1 }), ["Failures"], 10],
    ["the database is down, 4 calls in an hour", outage(0.04, { failure: 1 }), ["Failures"], 60],
    ["an endpoint with 1 % of the calls is always 503", outage(many, { failure: 1 }, ["wallabag"]), ["Failures"], 5],
    [
      "an endpoint with 1 % of the calls crashes",
      outage(many, { crash: 1 }, ["wallabag"]),
      ["Failures", "GatewayErrors"],
      5,
    ],
    ["one get in 100 fails", outage(many, { failure: 0.01 }, ["get"]), ["Failures"], 15],
    ["a function with a call in some hours fails", outage(few, { failure: 1 }, ["delete_account"]), ["Failures"], 1200],
    ["text is always 503", outage(many, { failure: 1 }, ["text"]), ["Failures"], 5],
    ["API Gateway cannot call the functions", outage(many, { uninvoked: 1 }), ["GatewayErrors"], 15],
    [
      "all logins are 401",
      outage(many, { wrongPassword: 1 }, users),
      ["FailedSignIns", "Refusals", "WrongPasswords"],
      60,
    ],
    [
      "all passwords that are checked again are wrong",
      outage(many, { wrongPassword: 0.01, rightPassword: 0 }),
      ["WrongPasswords"],
      60,
    ],
    ["all logins are 401, 16 calls in 5 minutes", outage(few, { "401": 1 }, users), ["Refusals"], 10],
    ["all calls are 400", outage(many, { "400": 1 }), ["Refusals"], 6],
    ["all calls are 400, 16 calls in 5 minutes", outage(few, { "400": 1 }), ["Refusals"], 10],
    ["the edge secret is wrong", outage(many, { "403": 1 }), ["Refusals"], 6],
    ["no page can be fetched", outage(many, { unread: 0.6, read: 0, empty: 0 }, ["text", "article"]), ["Pages"], 60],
    ["no page has a text", outage(many, { empty: 0.6, read: 0, unread: 0 }, ["text", "article"]), ["Pages"], 60],
    [
      "one sign-in in ten fails, of many accounts",
      outage(many, { wrongPassword: 0.1, rightPassword: 0.1 }, users),
      ["FailedSignIns"],
      20,
    ],
    ["single sign-on is always 503", outage(few, { failure: 1 }, ["oidc"]), ["Failures"], 1200],
    ["extraction answers errors alone", outage(many, { failure: 1 }, ["extraction"]), ["Failures"], 10],
    ["imaging answers errors alone", outage(many, { failure: 1 }, ["imaging"]), ["Failures"], 10],
    ...(
      [
        ["keeping", "Keeping", 16],
        ["deletions", "Deletions", 20],
        ["indexes", "Indexes", 241],
        ["probe", "Probe", 16],
      ] as const
    ).map(([schedule, alarm, within]): (typeof outages)[number] => [
      `no run of ${schedule} begins, or none ends well`,
      { callsPerMinute: many, isRunGood: (name, at) => name !== schedule || at < since },
      [alarm],
      within,
    ]),
    [
      "no call arrives, because a domain name or a certificate has expired",
      {
        callsPerMinute: 0,
        isRunGood: (name, at) => name !== "probe" || at < since,
      },
      ["Probe"],
      16,
    ],
    [
      "the keeper no longer reads pages",
      {
        callsPerMinute: many,
        backlog: (minute) => ({ pages: Math.max(0, minute - since) * 100, seconds: 60 * Math.max(1, minute - since) }),
      },
      ["OldestPage", "PagesWaiting"],
      245,
    ],
    [
      "a flood reads 4,000 units a second, and a tenth of the calls fail",
      { ...outage(many, { failure: 0.1 }), flood: (minute) => (minute >= since ? 240_000 : 0), latency: slow },
      ["Failures", "MainApiLatency", "TableReadThrottles", "TableReadUnits"],
      5,
    ],
  ];

  test.each(outages)("if %s", (_, traffic, expected, within) => {
    const rang = simulate({ minutes: since + Math.max(120, within), ...traffic });
    expect(Object.keys(rang).sort()).toEqual(expected);
    expect(Math.min(...Object.values(rang))).toBeGreaterThanOrEqual(since);
    expect(Math.min(...Object.values(rang))).toBeLessThanOrEqual(since + within);
  });

  test("if any function that calls reach crashes each time, or any that counts failures fails", () => {
    for (const name of failingNames) {
      expect(simulate({ minutes: since + 60, ...outage(many, { failure: 1 }, [name]) }), name).toHaveProperty(
        "Failures",
      );
    }
    // No call reaches these two in the simulation.
    const reached = functionNamesOf(evaluation).filter((name) => !["deletions", "canary"].includes(name));
    for (const name of reached) {
      const rang = simulate({ minutes: since + 60, ...outage(many, { crash: 1 }, [name]) });
      expect(rang, name).toHaveProperty("Failures");
    }
  });
});
