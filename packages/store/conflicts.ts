import { TransactionCanceledException, TransactionConflictException } from "@aws-sdk/client-dynamodb";
import { ServiceError } from "@reading-list/core/errors.ts";

/** Reasons for a transaction to be cancelled that say nothing about its conditions. */
const passing = new Set(["TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"]);

function isPassingConflict(error: unknown): boolean {
  if (error instanceof TransactionConflictException) return true;
  if (!(error instanceof TransactionCanceledException)) return false;
  const codes = (error.CancellationReasons ?? []).map((reason) => reason.Code ?? "None");
  return !codes.includes("ConditionalCheckFailed") && codes.some((code) => passing.has(code));
}

/** Milliseconds in which writers of one record take turns before a call gives up. */
const patience = 4000;
const longestPause = 200;

/**
 * Repeats a write that met another one on the same record, after pauses of random, growing length so that the writers
 * find their turns. Throws `unavailable` when patience ends, and any other error as it is.
 */
export async function retryConflicts<T>(write: () => Promise<T>): Promise<T> {
  const end = performance.now() + patience;
  for (let pause = 10; ; pause = Math.min(2 * pause, longestPause)) {
    try {
      return await write();
    } catch (error) {
      if (!isPassingConflict(error)) throw error;
      if (performance.now() > end) {
        throw new ServiceError("unavailable", "too many changes at once; try again", { retryAfter: 1, cause: error });
      }
    }
    await new Promise((resolve) => setTimeout(resolve, Math.random() * pause));
  }
}
