import { Logger } from "@aws-lambda-powertools/logger";
import type { LogLevel } from "@aws-lambda-powertools/logger/types";
import type { ServiceError } from "@reading-list/core/errors.ts";
import { serviceName } from "./metric-names.ts";
import { toSourcePlace } from "./source-places.ts";
import type { Report } from "./watch-calls.ts";

/** The structured log: a JSON line for each call, at level ERROR if the service failed it. */
export function createCallLog(logLevel?: LogLevel): Report {
  const logger = new Logger({ serviceName, ...(logLevel && { logLevel }) });
  return ({ tally: { databaseCalls, conflictsRetried }, error, awsRequestId, ...call }) => {
    const line = { ...call, databaseCalls, conflictsRetried, ...(error && { error: error.kind }) };
    if (error?.kind === "unavailable") logger.error("call failed", { ...line, awsRequestId, ...failureOf(error) });
    else logger.info("call", line);
  };
}

interface Failure {
  /** The error's name. */
  reason: string;
  /** The system's code, for example `ECONNREFUSED`: such errors are all named `Error`. */
  code?: string;
  /** Where it was thrown: the lines of its stack. */
  places: string[];
}

/** An error as logged. Its message and other properties may contain a record or what a caller sent. */
function failureOf(error: ServiceError): Failure {
  const cause: NodeJS.ErrnoException = error.cause instanceof Error ? error.cause : error;
  // The message is part of the stack, too, and may have lines that look like places.
  const stack = (cause.stack ?? "").replace(cause.message, () => "");
  const lines = stack.split("\n").filter((line) => line.startsWith("    at "));
  const [code] = /^[A-Z][A-Z\d_]{1,40}$/.exec(String(cause.code)) ?? [];
  return { reason: cause.name, ...(code !== undefined && { code }), places: lines.map(toSourcePlace) };
}
