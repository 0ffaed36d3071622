import type { Tally } from "@reading-list/core/tally.ts";
import type { ErrorStatus, RefusalKind } from "../http/errors.ts";

/** The name under which the service logs and measures, which is also the metrics' dimension `service`. */
export const serviceName = "reading-list";

/** THE list of metrics: the functions emit them, the dashboard and the alarms of `stacks/` watch them. */
export const metricNames = {
  calls: "Calls",
  /** Milliseconds of a call in our code. */
  latency: "Latency",
  /** Calls that we failed, maintenance not among them. */
  failures: "Failures",
  errors: {
    400: "Errors400",
    401: "Errors401",
    403: "Errors403",
    503: "Errors503",
  } satisfies Record<ErrorStatus, string>,
  refusals: {
    disabled: "RefusedKeyDisabled",
    keyLimited: "RefusedKeyLimit",
    userLimited: "RefusedUserLimit",
    braked: "RefusedGuessing",
  } satisfies Record<RefusalKind, string>,
  tally: {
    databaseCalls: "DatabaseCalls",
    conflictsRetried: "ConflictsRetried",
    passwordsVerified: "PasswordsVerified",
    textHits: "TextHits",
    textMisses: "TextMisses",
    textsEmpty: "TextsEmpty",
    textsFailed: "TextsFailed",
  } satisfies Record<keyof Tally, string>,
} as const;
