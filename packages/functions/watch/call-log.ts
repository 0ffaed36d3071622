import { Logger } from "@aws-lambda-powertools/logger";
import type { LogLevel } from "@aws-lambda-powertools/logger/types";
import type { ServiceError } from "@reading-list/core/errors.ts";
import { serviceName } from "./metric-names.ts";
import type { Report } from "./watch-calls.ts";

/** The structured log: a JSON line for each call, at level ERROR where we failed it. */
export function createCallLog(logLevel?: LogLevel): Report {
  const logger = new Logger({ serviceName, ...(logLevel && { logLevel }) });
  return ({ tally: { databaseCalls, conflictsRetried }, error, ...call }) => {
    const line = { ...call, databaseCalls, conflictsRetried, ...(error && { error: error.kind }) };
    if (error?.kind === "unavailable") logger.error("call failed", { ...line, ...failureOf(error) });
    else logger.info("call", line);
  };
}

/** Its name and where it was thrown: what it says and carries may hold a record or what a caller sent. */
function failureOf(error: ServiceError): { reason: string; places: string[] } {
  const cause = error.cause instanceof Error ? error.cause : error;
  // The message stands in the stack too, and may have lines that look like places.
  const stack = (cause.stack ?? "").replace(cause.message, () => "");
  return { reason: cause.name, places: stack.split("\n").filter((line) => line.startsWith("    at ")) };
}
