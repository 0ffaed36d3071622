// SPDX-License-Identifier: MIT

import type { Tally } from "@reading-list/core/call-scope.ts";
import type { ErrorStatus, RefusalKind } from "../errors.ts";

/** The name under which the service logs and measures, which is also the metrics' dimension `service`. */
export const serviceName = "reading-list";

/** Functions that serve no endpoint and count the failures of their own code. */
export const innerFunctions = ["extraction", "imaging", "keeping", "probe"] as const;

export type InnerFunction = (typeof innerFunctions)[number];

/**
 * THE list of metrics: the functions emit them, the dashboard and the alarms of `stacks/` watch them. CloudWatch
 * charges for each metric, and each value of a dimension is one more metric.
 */
export const metricNames = {
  /** Emitted by endpoint. All other metrics are emitted over all endpoints; the log has the endpoint. */
  byEndpoint: {
    calls: "Calls",
    /** Milliseconds of a call in our code. */
    latency: "Latency",
    /** Calls that the service failed; neither maintenance nor a full queue is a failure. By version, too, for the canary. */
    failures: "Failures",
  },
  /** Emitted by schedule. Seconds, or counts of a run. */
  bySchedule: {
    /** Runs that ended well: the heartbeat. */
    runs: "Runs",
  },
  /** Emitted by the keeper: pages that were due when their users were looked at, and the seconds that the oldest waited. */
  byKeeper: { pagesWaiting: "PagesWaiting", oldestPage: "OldestPage" },
  /** Calls that found a bounded queue full, or ended after a part of their work. */
  busy: "Busy",
  errors: {
    400: "Errors400",
    401: "Errors401",
    403: "Errors403",
    404: "Errors404",
    503: "Errors503",
  } satisfies Record<ErrorStatus, string>,
  refusals: {
    disabled: "RefusedKeyDisabled",
    keyLimited: "RefusedKeyLimit",
    addressLimited: "RefusedAddressLimit",
    userLimited: "RefusedUserLimit",
    lockedOut: "RefusedLockout",
    otherSite: "RefusedOtherSite",
    signupClosed: "RefusedSignup",
    bypassesEdge: "RefusedEdge",
    expired: "RefusedPicture",
  } satisfies Record<RefusalKind, string>,
  tally: {
    databaseCalls: "DatabaseCalls",
    conflictsRetried: "ConflictsRetried",
    passwordsVerified: "PasswordsVerified",
    passwordsWrong: "PasswordsWrong",
    signInsFailing: "SignInsFailing",
    textHits: "TextHits",
    textMisses: "TextMisses",
    textsEmpty: "TextsEmpty",
    textsFailed: "TextsFailed",
  } satisfies Record<keyof Tally, string>,
} as const;
